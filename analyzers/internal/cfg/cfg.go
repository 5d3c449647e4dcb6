// Package cfg answers questions about the order in which the instructions of
// one function can run.
//
// It is plain reachability over the blocks that go/ssa built: it does not know
// which conditions hold together.
package cfg

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Each calls f with every instruction of a function.
func Each(fn *ssa.Function, f func(ssa.Instruction)) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			f(in)
		}
	}
}

// Step says how a walk goes on after an instruction.
type Step int

// The steps: Go on, Stop this path, or end the walk because it was Found.
const (
	On Step = iota
	Stop
	Found
)

// Walk follows every path from the instruction after start, and answers
// whether visit said Found on one of them. skip, when given, tells which edges
// are never taken.
func Walk(start ssa.Instruction, visit func(ssa.Instruction) Step, skip func(from, to *ssa.BasicBlock) bool) bool {
	w := walk{visit: visit, skip: skip, seen: map[*ssa.BasicBlock]bool{}}
	b := start.Block()
	return w.instrs(b, position(start)+1)
}

// WalkBlock is Walk from the first instruction of a block.
func WalkBlock(b *ssa.BasicBlock, visit func(ssa.Instruction) Step, skip func(from, to *ssa.BasicBlock) bool) bool {
	w := walk{visit: visit, skip: skip, seen: map[*ssa.BasicBlock]bool{b: true}}
	return w.instrs(b, 0)
}

type walk struct {
	visit func(ssa.Instruction) Step
	skip  func(from, to *ssa.BasicBlock) bool
	seen  map[*ssa.BasicBlock]bool
}

func (w *walk) instrs(b *ssa.BasicBlock, from int) bool {
	for _, in := range b.Instrs[from:] {
		switch w.visit(in) {
		case Found:
			return true
		case Stop:
			return false
		}
	}
	for _, s := range b.Succs {
		if w.seen[s] || w.skip != nil && w.skip(b, s) {
			continue
		}
		w.seen[s] = true
		if w.instrs(s, 0) {
			return true
		}
	}
	return false
}

func position(in ssa.Instruction) int {
	for i, x := range in.Block().Instrs {
		if x == in {
			return i
		}
	}
	return -1
}

// Before tells whether a precedes b on every path to b.
func Before(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		return position(a) < position(b)
	}
	return a.Block().Dominates(b.Block())
}

// From is the set of blocks that can be reached from b, b included.
func From(b *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	seen := map[*ssa.BasicBlock]bool{b: true}
	work := []*ssa.BasicBlock{b}
	for len(work) > 0 {
		b, work = work[len(work)-1], work[:len(work)-1]
		for _, s := range b.Succs {
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return seen
}

// Loop is the set of blocks that lie on a cycle with b, nil when b is on none.
func Loop(b *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	loop := map[*ssa.BasicBlock]bool{}
	for _, s := range b.Succs {
		if From(s)[b] {
			loop[b] = true
		}
	}
	if !loop[b] {
		return nil
	}
	for o := range From(b) {
		if From(o)[b] {
			loop[o] = true
		}
	}
	return loop
}

// Sides are the blocks that only the true, and only the false side of the
// branch at the end of b leads to.
func Sides(b *ssa.BasicBlock) (yes, no map[*ssa.BasicBlock]bool) {
	yes, no = map[*ssa.BasicBlock]bool{}, map[*ssa.BasicBlock]bool{}
	if len(b.Succs) != 2 {
		return yes, no
	}
	t, f := From(b.Succs[0]), From(b.Succs[1])
	for o := range t {
		if !f[o] {
			yes[o] = true
		}
	}
	for o := range f {
		if !t[o] {
			no[o] = true
		}
	}
	return yes, no
}

// Case is the number of the select case that the edge from b to its s-th
// successor belongs to, and whether the edge means that this case was chosen.
// ok is false where the branch at the end of b does not ask about sel.
func Case(sel *ssa.Select, b *ssa.BasicBlock, s int) (n int, chosen, ok bool) {
	br, isIf := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !isIf {
		return 0, false, false
	}
	cmp, isCmp := br.Cond.(*ssa.BinOp)
	if !isCmp || cmp.Op != token.EQL {
		return 0, false, false
	}
	ex, isExtract := cmp.X.(*ssa.Extract)
	k, isConst := cmp.Y.(*ssa.Const)
	if !isExtract || !isConst || ex.Tuple != sel || ex.Index != 0 {
		return 0, false, false
	}
	return int(k.Int64()), s == 0, true
}

// Within tells whether b is on a cycle of its function.
func Within(b *ssa.BasicBlock) bool { return Loop(b) != nil }
