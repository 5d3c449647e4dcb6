package heapgrowth

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// held is what one owner gathers.
type held struct {
	groups []*group // the first one names it
	paths  [][]report.Held
	owner  string
	holder uint32   // node
	raw    []uint32 // edges of the first path
	other  []uint32 // of the others, where there are several
}

// together merges groups with the same owner: the keys and the values of a Map
// are one leak.
func (j *judge) together(h *heap, groups []*group, leaks []*series.Row) []*held {
	var cases []*held
	byOwner := map[string]*held{}
	for _, g := range groups {
		c := h.look(g)
		if old := byOwner[c.owner]; old != nil && c.owner != "" {
			old.groups = append(old.groups, g)
			if rank(leaks[g.class]) < rank(leaks[old.groups[0].class]) {
				n := len(old.groups) - 1
				old.groups[0], old.groups[n] = old.groups[n], old.groups[0]
				old.paths, old.raw, old.holder = c.paths, c.raw, c.holder
			}
			continue
		}
		byOwner[c.owner] = c
		cases = append(cases, c)
	}
	return cases
}

// look finds the owner of a group and the ways to it.
func (h *heap) look(g *group) *held {
	head := h.tree.Node[g.heads[len(g.heads)/2]]
	holder := h.beyond(h.tree.Node[g.holder], head)
	c := &held{groups: []*group{g}, holder: holder, raw: h.path(head)}
	steps, owner := h.tell(c.raw, holder)
	c.paths, c.owner = [][]report.Held{steps}, ownerText(steps, owner)
	if c.owner != "" && holder != 0 {
		return c
	}
	// Several paths lead there, none through one object: tell some.
	seen := map[string]bool{spelled(steps): true}
	for _, e := range h.retainers(head) {
		from := h.From(e)
		if from != 0 && h.reached[from] == none {
			continue
		}
		way := append(h.path(from), e)
		c.other = append(c.other, way...)
		other, _ := h.tell(way, holder)
		if s := spelled(other); !seen[s] && len(c.paths) < 3 {
			seen[s] = true
			c.paths = append(c.paths, other)
		}
	}
	return c
}

// beyond goes up a list: what is new in it hangs on what is old in it, and the
// owner is whoever holds the list.
func (h *heap) beyond(holder, head uint32) uint32 {
	for holder != 0 && h.Kind[holder] == h.Kind[head] && h.Name[holder] == h.Name[head] {
		holder = h.dominator(holder)
	}
	return holder
}

// fold puts a case to another one through whose holder its path leads: the
// variables that a leaked function sees leak with it.
func (h *heap) fold(cases []*held) []*held {
	on := map[uint32][]int{} // holder → cases
	for i, c := range cases {
		on[c.holder] = append(on[c.holder], i)
	}
	into := make([]int, len(cases))
	for i, c := range cases {
		into[i] = -1
		for _, e := range slices.Concat(c.raw, c.other) {
			for _, k := range on[h.To[e]] {
				if h.To[e] != 0 && cases[k].holder != c.holder && h.below(cases[k].holder, c.holder) {
					into[i] = k
				}
			}
		}
	}
	var out []*held
	for i, c := range cases {
		if into[i] < 0 {
			out = append(out, c)
			continue
		}
		k := into[i]
		for steps := 0; into[k] >= 0 && steps < len(cases); steps++ {
			k = into[k]
		}
		cases[k].groups = append(cases[k].groups, c.groups...)
	}
	return out
}

// below reports whether a node is dominated by another one.
func (h *heap) below(n, by uint32) bool {
	i, top := h.tree.Num[n], h.tree.Num[by]
	if i == none || top == none {
		return false
	}
	for i > top {
		i = h.tree.Idom[i]
	}
	return i == top
}

// spelled is a path without what differs from one object to the next.
func spelled(steps []report.Held) string {
	var b strings.Builder
	for _, s := range steps {
		if strings.HasPrefix(s.Name, "[") {
			s.Name = "[]"
		}
		b.WriteString(s.Name + " " + s.Class + "\n")
	}
	return b.String()
}
