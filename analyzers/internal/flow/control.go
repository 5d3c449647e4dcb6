package flow

import (
	"golang.org/x/tools/go/ssa"
)

// edge is one outcome of a branch.
type edge struct {
	from *ssa.BasicBlock
	side int // 0: the condition is true
}

// control tells on which branches a block depends (Ferrante, Ottenstein and
// Warren 1987: it is reached on one side, and not on every side).
type control struct {
	post  []Bits // blocks that every way from here to the end goes through
	deps  [][]edge
	reach []Bits // blocks that can follow, itself only in a loop
}

func newControl(fn *ssa.Function) *control {
	c := &control{post: postDominators(fn), deps: make([][]edge, len(fn.Blocks)), reach: reachable(fn)}
	for _, b := range fn.Blocks {
		if len(b.Succs) != 2 {
			continue
		}
		for side, s := range b.Succs {
			for _, x := range fn.Blocks {
				if c.post[s.Index].Has(x.Index) && (x == b || !c.post[b.Index].Has(x.Index)) {
					c.deps[x.Index] = append(c.deps[x.Index], edge{b, side})
				}
			}
		}
	}
	return c
}

// on returns the branches that a block depends on, directly or not.
func (c *control) on(b *ssa.BasicBlock) []edge {
	var all []edge
	seen := map[edge]bool{}
	var visit func(i int)
	visit = func(i int) {
		for _, e := range c.deps[i] {
			if !seen[e] {
				seen[e] = true
				all = append(all, e)
				visit(e.from.Index)
			}
		}
	}
	visit(b.Index)
	return all
}

func postDominators(fn *ssa.Function) []Bits {
	n := len(fn.Blocks)
	post := make([]Bits, n)
	for i, b := range fn.Blocks {
		if len(b.Succs) == 0 {
			post[i].Set(i)
			continue
		}
		for j := range n {
			post[i].Set(j)
		}
	}
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			b := fn.Blocks[i]
			if len(b.Succs) == 0 {
				continue
			}
			next := clone(post[b.Succs[0].Index])
			for _, s := range b.Succs[1:] {
				next.and(post[s.Index])
			}
			next.Set(i)
			if !equal(next, post[i]) {
				post[i], changed = next, true
			}
		}
	}
	return post
}

func reachable(fn *ssa.Function) []Bits {
	reach := make([]Bits, len(fn.Blocks))
	for changed := true; changed; {
		changed = false
		for i := len(fn.Blocks) - 1; i >= 0; i-- {
			next := clone(reach[i])
			for _, s := range fn.Blocks[i].Succs {
				next.Set(s.Index)
				next.or(reach[s.Index])
			}
			if !equal(next, reach[i]) {
				reach[i], changed = next, true
			}
		}
	}
	return reach
}

func clone(b Bits) Bits { return append(Bits(nil), b...) }

func (b *Bits) or(o Bits) {
	for len(*b) < len(o) {
		*b = append(*b, 0)
	}
	for i := range o {
		(*b)[i] |= o[i]
	}
}

func (b *Bits) and(o Bits) {
	for i := range *b {
		if i < len(o) {
			(*b)[i] &= o[i]
		} else {
			(*b)[i] = 0
		}
	}
}

func equal(a, b Bits) bool {
	for i := range max(len(a), len(b)) {
		var x, y uint64
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return false
		}
	}
	return true
}
