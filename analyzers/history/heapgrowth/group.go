package heapgrowth

import (
	"cmp"
	"slices"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// group is a number of new objects of one class that are held in one place.
type group struct {
	class    int      // index into the classes that were asked for
	holder   uint32   // number in the tree of what dominates them
	heads    []uint32 // some, from all over it
	every    int      // which of them are kept: each so many
	tops     int      // how many heads there are in all
	retained uint64
	members  []int // of each class: how many hang on them, themselves counted
}

// heads is how many heads are kept of a group at least: they are looked at one by
// one.
const heads = 9

// groups finds where the new objects of some classes are held. Only topmost ones
// count: an object that hangs on another new one goes with it.
func (h *heap) groups(classes []*series.Row, base *series.IDs) []*group {
	mark := h.marks(classes, base)
	h.unmarkContainers(mark, len(classes))
	top := make([]uint32, len(mark))
	type place struct {
		class  int
		holder uint32
	}
	numbers := map[place]uint32{}
	var all []*group
	of := make([]uint32, len(mark)) // head → the number of its group
	for i := 1; i < len(mark); i++ {
		if t := top[h.tree.Idom[i]]; t != 0 {
			top[i] = t
			if mark[i] != 0 {
				all[of[t]].members[int(mark[i])-1]++
			}
			continue
		}
		if mark[i] == 0 {
			continue
		}
		top[i] = uint32(i)
		p := place{int(mark[i]) - 1, h.tree.Idom[i]}
		n, ok := numbers[p]
		if !ok {
			n = uint32(len(all))
			numbers[p] = n
			all = append(all, &group{class: p.class, holder: p.holder, members: make([]int, len(classes))})
		}
		all[n].add(uint32(i), h.retained[i])
		of[i] = n
	}
	return h.gather(all)
}

func (g *group) add(head uint32, retained uint64) {
	g.members[g.class]++
	g.retained += retained
	g.every = max(g.every, 1)
	if g.tops%g.every == 0 {
		g.heads = append(g.heads, head)
	}
	g.tops++
	if len(g.heads) > 2*heads {
		g.every *= 2
		kept := g.heads[:0]
		for i := 0; i < len(g.heads); i += 2 {
			kept = append(kept, g.heads[i])
		}
		g.heads = kept
	}
}

// marks says for each number of the tree which class of new objects it is of,
// plus one; 0 for the rest.
func (h *heap) marks(classes []*series.Row, base *series.IDs) []uint16 {
	var byName [series.Unknown + 1][]uint16
	byKind := [series.Unknown + 1]uint16{}
	wanted := map[string][]int{}
	for i, c := range classes {
		if c.Name == "" {
			byKind[c.Kind] = uint16(i + 1)
			continue
		}
		wanted[c.Name] = append(wanted[c.Name], i)
		if byName[c.Kind] == nil {
			byName[c.Kind] = make([]uint16, len(h.Strings.Ends))
		}
	}
	from := uint64(0)
	for s, end := range h.Strings.Ends {
		for _, i := range wanted[string(h.Strings.Text[from:end])] {
			byName[classes[i].Kind][s] = uint16(i + 1)
		}
		from = end
	}
	mark := make([]uint16, len(h.tree.Node))
	for i, n := range h.tree.Node {
		kind := h.Kind[n]
		m := byKind[kind]
		if name := h.Name[n]; int(name) < len(byName[kind]) {
			if named := byName[kind][name]; named != 0 {
				m = named
			}
		}
		if m != 0 && !base.Has(h.ID[n], series.Mark(kind, h.Self[n])) {
			mark[i] = m
		}
	}
	return mark
}

// unmarkContainers takes out objects that are new themselves but hold a good part
// of the others: the table of a Map is made anew whenever the Map grows.
func (h *heap) unmarkContainers(mark []uint16, classes int) {
	total := make([]int, classes+1)
	for _, m := range mark {
		total[m]++
	}
	children := make([]uint32, len(mark))
	for i := 1; i < len(mark); i++ {
		if mark[i] != 0 {
			children[h.tree.Idom[i]]++
		}
	}
	type part struct {
		parent uint32
		class  uint16
	}
	parts := map[part]int{}
	for i := 1; i < len(mark); i++ {
		if p := h.tree.Idom[i]; mark[i] != 0 && mark[p] != 0 && children[p] >= many {
			parts[part{p, mark[i]}]++
		}
	}
	for p, n := range parts {
		if n >= many && n >= total[p.class]/20 {
			mark[p.parent] = 0
		}
	}
}

// many is the least number of objects that make what holds them a container.
const many = 20

// gather puts groups together that are too small to be told one by one, such as
// the lists in a map of lists: what holds most of them together is their holder.
func (h *heap) gather(all []*group) []*group {
	total := map[int]uint64{}
	for _, g := range all {
		total[g.class] += g.retained
	}
	rest := map[int]*group{}
	var small, out []*group
	for _, g := range all {
		if g.retained*5 >= total[g.class] {
			out = append(out, g)
			continue
		}
		small = append(small, g)
	}
	slices.SortFunc(small, func(a, b *group) int { return cmp.Compare(a.heads[0], b.heads[0]) })
	under := map[int]map[uint32]uint64{}
	for _, g := range small {
		r := rest[g.class]
		if r == nil {
			r = &group{class: g.class, members: make([]int, len(g.members))}
			rest[g.class] = r
			under[g.class] = map[uint32]uint64{}
		}
		under[g.class][g.holder] += g.retained
		r.merge(g)
	}
	for class, r := range rest {
		r.holder = h.common(under[class], r.retained)
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.retained, a.retained), cmp.Compare(a.class, b.class), cmp.Compare(a.holder, b.holder))
	})
	return out
}

func (g *group) merge(other *group) {
	g.tops += other.tops
	g.retained += other.retained
	for c, n := range other.members {
		g.members[c] += n
	}
	for _, head := range other.heads {
		if len(g.heads) < heads {
			g.heads = append(g.heads, head)
		}
	}
}

// common is the deepest node below which four fifths of the weight lie.
func (h *heap) common(weight map[uint32]uint64, total uint64) uint32 {
	sum := make([]uint64, len(h.tree.Node))
	for n, w := range weight {
		sum[n] += w
	}
	for i := len(sum) - 1; i > 0; i-- {
		if sum[i]*5 >= total*4 {
			return uint32(i) // numbers grow downwards, so this is the deepest
		}
		sum[h.tree.Idom[i]] += sum[i]
	}
	return 0
}
