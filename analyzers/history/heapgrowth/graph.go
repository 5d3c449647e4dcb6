package heapgrowth

import (
	"bytes"
	"strconv"

	"github.com/ccheck/ccheck/analyzers/internal/dominators"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// heap is the graph of the last snapshot with what follows from it.
type heap struct {
	*series.Graph
	tree     *dominators.Tree
	retained []uint64          // by number in tree: the bytes that go with the object
	tables   map[uint32]uint32 // name of an ephemeron's edge → id of its WeakMap's table
	reached  []uint32          // node → the edge of the cheapest path to it; none for the root
	idle     dominators.Set    // edges that keep nothing alive
}

const none = dominators.None

func newHeap(g *series.Graph) *heap {
	h := &heap{Graph: g, tables: ephemerons(&g.Strings)}
	h.idle = dominators.NewSet(len(g.To))
	for n := range uint32(g.Nodes()) {
		for e := g.First[n]; e < g.First[n+1]; e++ {
			if !h.keeps(n, e) {
				h.idle.Add(e)
			}
		}
	}
	h.tree = dominators.Of(dominators.Graph{First: g.First, To: g.To, Without: h.idle}, 0)
	h.retained = make([]uint64, len(h.tree.Node))
	for i, n := range h.tree.Node {
		h.retained[i] = uint64(g.Self[n])
	}
	for i := len(h.retained) - 1; i > 0; i-- {
		h.retained[h.tree.Idom[i]] += h.retained[i]
	}
	return h
}

// keeps reports whether an edge keeps what it leads to alive. Weak ones do
// not; a shortcut repeats a longer path, but for those of the root; and of the
// two edges to a value of a WeakMap the key's is the one that holds it.
func (h *heap) keeps(from, edge uint32) bool {
	switch h.Link[edge] {
	case series.Weak:
		return false
	case series.Shortcut:
		return from == 0
	case series.Internal:
		if len(h.tables) > 0 {
			table, ok := h.tables[h.LinkName[edge]]
			return !ok || h.ID[from] != table
		}
	}
	return h.To[edge] != from
}

// ephemerons finds the names that V8 gives to the references of WeakMaps:
// "1 / part of key (Object @5) -> value (Foo @7) pair in WeakMap (table @3)".
func ephemerons(s *series.Strings) map[uint32]uint32 {
	if !bytes.Contains(s.Text, []byte(" / part of key (")) {
		return nil
	}
	out := map[uint32]uint32{}
	from := uint64(0)
	for i, end := range s.Ends {
		text := s.Text[from:end]
		from = end
		if !bytes.Contains(text, []byte(" / part of key (")) {
			continue
		}
		at := bytes.LastIndex(text, []byte("(table @"))
		if at < 0 {
			continue
		}
		digits := bytes.TrimSuffix(text[at+len("(table @"):], []byte(")"))
		if id, err := strconv.ParseUint(string(digits), 10, 64); err == nil {
			out[uint32(i)] = uint32(id)
		}
	}
	return out
}

// size is what goes with a node, 0 for one that nothing reaches.
func (h *heap) size(n uint32) int64 {
	if i := h.tree.Num[n]; i != none {
		return int64(h.retained[i])
	}
	return 0
}

// dominator is the node that all paths to n pass through last.
func (h *heap) dominator(n uint32) uint32 {
	if i := h.tree.Num[n]; i != none {
		return h.tree.Node[h.tree.Idom[i]]
	}
	return 0
}

// The costs of following an edge. A person understands a path of variables and
// properties. One through a prototype or a hidden reference is true and says
// nothing, so it is taken only where there is no other.
const (
	dear   = 40
	costly = 8
	inner  = 2
	plain  = 1
	costs  = 64 // more than any
)

func (h *heap) cost(from, edge uint32, shady dominators.Set) uint32 {
	c := uint32(plain)
	to := h.Kind[h.To[edge]]
	if h.Kind[from] == series.Synthetic && to != series.Synthetic {
		if to == series.Closure || from == 0 {
			return costly
		}
		return dear // a stack or a handle holds it at this moment
	}
	switch h.Link[edge] {
	case series.Property:
		if shady.Has(h.LinkName[edge]) {
			return dear
		}
	case series.Internal:
		c = inner
		if shady.Has(h.LinkName[edge]) {
			c = costly
		}
	case series.HiddenLink, series.Shortcut, series.UnknownLink:
		c = costly
	}
	if to == series.Code || to == series.Hidden {
		c += costly
	}
	return c
}

var shadyNames = []string{
	"__proto__", "constructor", "prototype", "map", "feedback_cell", "native_context", "script_or_debug_info", "shared",
	"code", "symbol", "back_pointer", "transition", "dependent_code", "(constructor)", "initial_map", "previous",
}

// shady are the names, by their numbers, that say nothing.
func (h *heap) shady() dominators.Set {
	want := map[string]bool{}
	for _, n := range shadyNames {
		want[n] = true
	}
	out := dominators.NewSet(len(h.Strings.Ends))
	from := uint64(0)
	for i, end := range h.Strings.Ends {
		if end-from <= 24 && want[string(h.Strings.Text[from:end])] {
			out.Add(uint32(i))
		}
		from = end
	}
	return out
}

// search finds the cheapest path to every node, with Dial's buckets.
func (h *heap) search() {
	shady := h.shady()
	dist := make([]uint32, h.Nodes())
	h.reached = make([]uint32, h.Nodes())
	for i := range dist {
		dist[i], h.reached[i] = none, none
	}
	var ring [costs][]uint32
	dist[0] = 0
	ring[0] = append(ring[0], 0)
	for d, waiting := uint32(0), 1; waiting > 0; d++ {
		bucket := &ring[d%costs]
		for i := 0; i < len(*bucket); i++ {
			n := (*bucket)[i]
			waiting--
			if dist[n] != d {
				continue
			}
			for e := h.First[n]; e < h.First[n+1]; e++ {
				to := h.To[e]
				if dist[to] <= d+plain || h.idle.Has(e) {
					continue
				}
				if c := d + h.cost(n, e, shady); c < dist[to] {
					dist[to], h.reached[to] = c, e
					ring[c%costs] = append(ring[c%costs], to)
					waiting++
				}
			}
		}
		*bucket = (*bucket)[:0]
	}
}

// path is the cheapest way from the root to a node, as edges.
func (h *heap) path(n uint32) []uint32 {
	var edges []uint32
	for h.reached[n] != none {
		edges = append(edges, h.reached[n])
		n = h.From(h.reached[n])
	}
	for i, k := 0, len(edges)-1; i < k; i, k = i+1, k-1 {
		edges[i], edges[k] = edges[k], edges[i]
	}
	return edges
}

// retainers are the edges that keep a node alive.
func (h *heap) retainers(n uint32) []uint32 {
	var edges []uint32
	for e, to := range h.To {
		if to == n && !h.idle.Has(uint32(e)) {
			edges = append(edges, uint32(e))
		}
	}
	return edges
}
