package series

import "sort"

// Kind is the type of a node of a V8 heap graph.
type Kind uint8

// The kinds of nodes, as v8-profiler.h has them (HeapGraphNode::Type), with
// Unknown for those that came later.
const (
	Hidden Kind = iota
	Array
	String
	Object
	Code
	Closure
	RegExp
	Number
	Native
	Synthetic
	ConsString
	SlicedString
	Symbol
	BigInt
	Shape
	Wasm
	Unknown
)

// Link is the type of an edge of a V8 heap graph.
type Link uint8

// The kinds of edges (HeapGraphEdge::Type).
const (
	Context Link = iota
	Element
	Property
	Internal
	HiddenLink
	Shortcut
	Weak
	UnknownLink
)

// Indexed reports whether the name of such an edge is a number.
func (l Link) Indexed() bool { return l == Element || l == HiddenLink }

// Graph is a V8 heap in columns, one element a node or an edge, because a heap
// of 200 MB has five million of one and twelve of the other. Node 0 is the
// root. The edges of node n are First[n] to First[n+1].
type Graph struct {
	Kind  []Kind
	Name  []uint32 // index into Strings
	ID    []uint32 // the lower half of V8's object id
	Self  []uint32 // own size in bytes, at most 4 GiB
	First []uint32
	Trace []uint32 // allocation trace of each node; nil when none was recorded

	Link     []Link
	LinkName []uint32 // index into Strings, or a number
	To       []uint32

	Strings Strings
	Places  []Place // sorted by Node
	Traces  map[uint32]Frame
}

// Nodes is the number of nodes.
func (g *Graph) Nodes() int { return len(g.Kind) }

// Text is the name of a node.
func (g *Graph) Text(n uint32) string { return g.Strings.At(g.Name[n]) }

// From returns the node that an edge leaves.
func (g *Graph) From(edge uint32) uint32 {
	return uint32(sort.Search(len(g.First), func(i int) bool { return g.First[i] > edge })) - 1
}

// Place is where the source of a function is. Line and column count from 1.
type Place struct {
	Node         uint32
	Script       uint32
	Line, Column int
}

// Place returns the place of a node.
func (g *Graph) Place(n uint32) (Place, bool) {
	i := sort.Search(len(g.Places), func(i int) bool { return g.Places[i].Node >= n })
	if i < len(g.Places) && g.Places[i].Node == n {
		return g.Places[i], true
	}
	return Place{}, false
}

// Find returns what the first edge of that name leads to.
func (g *Graph) Find(n uint32, name string) (uint32, bool) {
	for e := g.First[n]; e < g.First[n+1]; e++ {
		if !g.Link[e].Indexed() && g.Strings.At(g.LinkName[e]) == name {
			return g.To[e], true
		}
	}
	return 0, false
}

// Strings is the table of strings in one block: a million of them as Go values
// would cost more than the heap they came from.
type Strings struct {
	Text []byte
	Ends []uint64 // of each string in Text
}

// At returns string i, "" for one that is not there.
func (s *Strings) At(i uint32) string {
	if int(i) >= len(s.Ends) {
		return ""
	}
	from := uint64(0)
	if i > 0 {
		from = s.Ends[i-1]
	}
	return string(s.Text[from:s.Ends[i]])
}

// IDs remembers which object ids a snapshot had, each with a mark of what the
// object was, since another session gives the same ids to other objects.
type IDs struct {
	chunks    []*[chunk]uint8
	used, n   int
	scattered bool
}

const chunk = 1 << 12

// Add puts an id in. A mark is not 0.
func (s *IDs) Add(id uint32, mark uint8) {
	if at := int(id / chunk); at >= len(s.chunks) {
		s.chunks = append(s.chunks, make([]*[chunk]uint8, at+1-len(s.chunks))...)
	}
	s.n++
	c := &s.chunks[id/chunk]
	if *c == nil {
		// V8 counts ids up; a file that scatters them is no snapshot of V8, and
		// must not make the table larger than itself.
		if s.used++; s.used > s.n/4+chunk {
			s.scattered = true
			return
		}
		*c = new([chunk]uint8)
	}
	(*c)[id%chunk] = mark
}

// Has reports whether id is in with that mark.
func (s *IDs) Has(id uint32, mark uint8) bool {
	if s == nil || int(id/chunk) >= len(s.chunks) {
		return false
	}
	c := s.chunks[id/chunk]
	return c != nil && c[id%chunk] == mark
}

// Compare returns the share of the engine's own objects in s, which live long,
// that next has too, with the same mark, from 0 to 1: the objects of a cache come
// and go within one session. And it returns how many objects next has beside
// those of s.
func (s *IDs) Compare(next *IDs) (shared float64, added int64) {
	if s.scattered || next.scattered || s.n == 0 || next.n == 0 {
		return 0, int64(next.n)
	}
	all, found, both := 0, 0, 0
	for i, c := range s.chunks {
		if c == nil {
			continue
		}
		var other *[chunk]uint8
		if i < len(next.chunks) {
			other = next.chunks[i]
		}
		for k, mark := range c {
			if mark == 0 {
				continue
			}
			same := other != nil && other[k] == mark
			if same {
				both++
			}
			if mark&lasting != 0 {
				all++
				if same {
					found++
				}
			}
		}
	}
	return float64(found) / float64(max(all, 1)), int64(next.n - both)
}

// lasting marks the kinds that are the engine's own.
const lasting = 0x80

// Mark is what IDs keep of an object: it is of one kind and size for its life,
// but for arrays that grow.
func Mark(k Kind, self uint32) uint8 {
	h := uint8(max((uint32(k)*0x9e3779b1^self*0x85ebca6b)>>25, 1))
	if k == Code || k == Shape || k == Hidden {
		h |= lasting
	}
	return h
}
