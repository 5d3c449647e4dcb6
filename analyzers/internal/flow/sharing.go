package flow

import (
	"hash/maphash"
	"slices"
)

// Pool makes equal lists in summaries share their memory: all that happens behind
// a branch depends on it, and on all that it depends on.
type Pool struct {
	seed  maphash.Seed
	conds map[uint64][]Cond
	parts map[uint64][]Part
	sites map[uint64][]Pos
}

// NewPool is a pool with nothing in it. One goroutine at a time may use it.
func NewPool() *Pool {
	return &Pool{seed: maphash.MakeSeed(), conds: map[uint64][]Cond{}, parts: map[uint64][]Part{}, sites: map[uint64][]Pos{}}
}

// Share replaces the lists of a summary, which nobody else may be looking at.
func (p *Pool) Share(s *Summary) {
	for i := range s.Events {
		e := &s.Events[i]
		e.Conds, e.Site = share(p.seed, p.conds, e.Conds), share(p.seed, p.sites, e.Site)
		p.value(&e.On)
		p.value(&e.Key)
		p.value(&e.Val)
		p.values(e.Args)
		for k := range e.Loop {
			p.value(&e.Loop[k].Over)
		}
	}
	for i := range s.Results {
		s.Results[i] = share(p.seed, p.parts, s.Results[i])
	}
}

func (p *Pool) values(vs []Value) {
	for i := range vs {
		p.value(&vs[i])
	}
}

func (p *Pool) value(v *Value) {
	v.From = share(p.seed, p.parts, v.From)
	p.values(v.Elems)
	p.values(v.Bound)
}

// share returns a list of the pool that is equal to the given one, without room
// behind its end: who adds to it makes a copy.
func share[T comparable](seed maphash.Seed, pool map[uint64][]T, list []T) []T {
	if len(list) == 0 {
		return nil
	}
	var h maphash.Hash
	h.SetSeed(seed)
	for _, x := range list {
		maphash.WriteComparable(&h, x)
	}
	key := h.Sum64()
	if old, ok := pool[key]; ok {
		if slices.Equal(old, list) {
			return old
		}
		return list
	}
	list = slices.Clip(slices.Clone(list))
	pool[key] = list
	return list
}
