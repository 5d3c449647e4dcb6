package flow

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// hold notes at every event the locks that are surely held there: a forward
// analysis in which two ways that meet keep what both hold.
func (m *maker) hold() {
	in := map[*ssa.BasicBlock][]int{}
	seen := map[*ssa.BasicBlock]bool{}
	blocks := order(m.fn)
	for range 4 {
		for _, b := range blocks {
			held := m.entry(b, in, seen)
			in[b], seen[b] = m.through(b, held, false), true
		}
	}
	for _, b := range blocks {
		m.through(b, m.entry(b, in, seen), true)
	}
	m.atExit(in)
}

// entry is what is held at the start of a block; in has what is held at ends.
func (m *maker) entry(b *ssa.BasicBlock, in map[*ssa.BasicBlock][]int, seen map[*ssa.BasicBlock]bool) []int {
	var held []int
	first := true
	for _, p := range b.Preds {
		switch {
		case !seen[p]:
		case first:
			held, first = in[p], false
		default:
			held = slices.DeleteFunc(slices.Clone(held), func(i int) bool { return !slices.Contains(in[p], i) })
		}
	}
	return held
}

// through follows the locks through a block, and notes them when told to.
func (m *maker) through(b *ssa.BasicBlock, held []int, note bool) []int {
	held = slices.Clone(held)
	for _, in := range b.Instrs {
		s := m.sites[in]
		if s == nil || s.defers {
			continue
		}
		for _, i := range s.events {
			e := &m.sum.Events[i]
			if note {
				e.Held = merge(e.Held, held)
			}
			if !m.folded(i) {
				held = m.apply(held, i)
			}
		}
		for _, f := range s.frames {
			held = m.net(held, f)
		}
	}
	return held
}

func (m *maker) folded(i int) bool { _, ok := m.origins[i]; return ok }

func merge(a, b []int) []int {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

func (m *maker) apply(held []int, i int) []int {
	e := &m.sum.Events[i]
	switch e.Op {
	case libs.Lock, libs.RLock:
		return append(held, i)
	case libs.Unlock, libs.RUnlock:
		return m.free(held, e.On.Desc)
	}
	return held
}

func (m *maker) free(held []int, d Desc) []int {
	return slices.DeleteFunc(held, func(i int) bool { return m.sum.Events[i].On.String() == d.String() })
}

// net applies what a callee takes and leaves, and what it gives back.
func (m *maker) net(held []int, f *frame) []int {
	for _, d := range f.sum.Frees {
		held = m.free(held, f.desc(d))
	}
	return append(held, f.indexes(f.sum.Leaves)...)
}

// atExit notes what the function leaves locked, and what it unlocks for others.
func (m *maker) atExit(in map[*ssa.BasicBlock][]int) {
	var deferred []Desc
	for _, s := range m.order {
		for _, i := range s.events {
			e := &m.sum.Events[i]
			if e.Op != libs.Unlock && e.Op != libs.RUnlock {
				continue
			}
			if s.defers {
				deferred = append(deferred, e.On.Desc)
			} else if !m.taken(e.On.Desc) && !m.folded(i) {
				m.sum.Frees = append(m.sum.Frees, e.On.Desc)
			}
		}
	}
	first := true
	for _, b := range m.fn.Blocks {
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); !ok {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(in[b]), func(i int) bool {
			return slices.ContainsFunc(deferred, func(d Desc) bool { return d.String() == m.sum.Events[i].On.String() })
		})
		if !first {
			left = slices.DeleteFunc(left, func(i int) bool { return !slices.Contains(m.sum.Leaves, i) })
		}
		m.sum.Leaves, first = left, false
	}
}

func (m *maker) taken(d Desc) bool {
	return slices.ContainsFunc(m.sum.Events, func(e Event) bool {
		return (e.Op == libs.Lock || e.Op == libs.RLock) && e.On.String() == d.String()
	})
}

func sortOuts(outs []Out) {
	slices.SortFunc(outs, func(a, b Out) int { return cmp.Or(cmp.Compare(a.Param, b.Param), cmp.Compare(a.Path, b.Path)) })
}

// near is a position for an instruction that has none of its own.
func near(in ssa.Instruction) token.Pos {
	var ops []*ssa.Value
	for _, op := range in.Operands(ops) {
		if *op != nil && (*op).Pos().IsValid() {
			return (*op).Pos()
		}
	}
	for _, other := range in.Block().Instrs {
		if other.Pos().IsValid() {
			return other.Pos()
		}
	}
	return in.Parent().Pos()
}
