// Package dominators finds, in a directed graph with a root, which node every
// path to another one passes through. On a heap that is what would be freed
// with an object.
//
// The algorithm is semi-NCA (Georgiadis, Tarjan and Werneck, "Finding Dominators
// in Practice", 2006). The simpler one of Cooper, Harvey and Kennedy is quadratic
// on long chains, and linked lists of listeners and promises are just that. It
// knows nothing of heaps.
package dominators

// None is the number of a node that the root does not reach.
const None = ^uint32(0)

// Graph is a graph in columns: the edges of node n are First[n] to First[n+1],
// and lead to To. Without leaves edges out; nil leaves out none.
type Graph struct {
	First, To []uint32
	Without   Set
}

// Set is a set of small numbers, such as edges, a bit for each.
type Set []uint64

// NewSet returns an empty set for numbers below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Add puts a number in, which must be below that of NewSet.
func (s Set) Add(i uint32) { s[i/64] |= 1 << (i % 64) }

// Has reports whether a number is in.
func (s Set) Has(i uint32) bool { return int(i/64) < len(s) && s[i/64]>>(i%64)&1 != 0 }

// Tree is the dominator tree. Nodes are numbered anew in the order of a depth-first
// search, so that the dominator of a node has a smaller number than itself: sums
// over subtrees are one loop backwards.
type Tree struct {
	Node []uint32 // number → node; Node[0] is the root
	Num  []uint32 // node → number, None when not reached
	Idom []uint32 // number → number of the immediate dominator; Idom[0] is 0
}

// Of returns the dominator tree of g from the root.
func Of(g Graph, root uint32) *Tree {
	t := &Tree{}
	parent := t.search(g, root)
	n := len(t.Node)
	first, preds := t.predecessors(g)
	semi, label := make([]uint32, n), make([]uint32, n)
	for i := range semi {
		semi[i], label[i] = uint32(i), uint32(i)
	}
	// Idom starts as the parent, and ancestor is what path compression changes.
	ancestor := append([]uint32(nil), parent...)
	var path []uint32
	for i := n - 1; i > 0; i-- {
		for _, p := range preds[first[i]:first[i+1]] {
			path = compress(ancestor, label, semi, p, uint32(i), path[:0])
			semi[i] = min(semi[i], semi[label[p]])
		}
	}
	t.Idom = parent
	for i := 1; i < n; i++ {
		for t.Idom[i] > semi[i] {
			t.Idom[i] = t.Idom[t.Idom[i]]
		}
	}
	return t
}

// compress brings label[v] up to date: the node of the least semidominator on
// the way up the part of the tree whose numbers are above last. Paths can be as
// long as the heap, so it does not recurse.
func compress(ancestor, label, semi []uint32, v, last uint32, path []uint32) []uint32 {
	if v <= last {
		return path
	}
	for ancestor[v] > last {
		path = append(path, v)
		v = ancestor[v]
	}
	for i := len(path) - 1; i >= 0; i-- {
		u := path[i]
		a := ancestor[u]
		if semi[label[a]] < semi[label[u]] {
			label[u] = label[a]
		}
		ancestor[u] = ancestor[a]
	}
	return path
}

// search numbers the nodes and returns their parents in the search's tree.
func (t *Tree) search(g Graph, root uint32) (parent []uint32) {
	n := len(g.First) - 1
	t.Num = make([]uint32, n)
	for i := range t.Num {
		t.Num[i] = None
	}
	type frame struct{ node, edge uint32 }
	stack := []frame{{root, g.First[root]}}
	t.Num[root], t.Node, parent = 0, append(make([]uint32, 0, n), root), append(make([]uint32, 0, n), 0)
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.edge == g.First[f.node+1] {
			stack = stack[:len(stack)-1]
			continue
		}
		e := f.edge
		f.edge++
		to := g.To[e]
		if t.Num[to] != None || g.Without.Has(e) {
			continue
		}
		from := t.Num[f.node]
		t.Num[to] = uint32(len(t.Node))
		t.Node, parent = append(t.Node, to), append(parent, from)
		stack = append(stack, frame{to, g.First[to]})
	}
	return parent
}

// predecessors are the edges turned round, in the new numbers.
func (t *Tree) predecessors(g Graph) (first, preds []uint32) {
	// Those of n begin at first[n+1] until they have been put in, and at first[n] then.
	first = make([]uint32, len(t.Node)+2)
	t.edges(g, func(_, to uint32) { first[to+2]++ })
	for i := range t.Node {
		first[i+2] += first[i+1]
	}
	preds = make([]uint32, first[len(t.Node)+1])
	t.edges(g, func(from, to uint32) {
		preds[first[to+1]] = from
		first[to+1]++
	})
	return first, preds
}

// edges passes over all edges between nodes that the root reaches, in the order of
// the new numbers of what they leave. What is dropped leads to a node that is not
// reached, or is left out.
func (t *Tree) edges(g Graph, do func(from, to uint32)) {
	for num, node := range t.Node {
		for e := g.First[node]; e < g.First[node+1]; e++ {
			if g.Without.Has(e) {
				continue
			}
			if to := t.Num[g.To[e]]; to != None {
				do(uint32(num), to)
			}
		}
	}
}
