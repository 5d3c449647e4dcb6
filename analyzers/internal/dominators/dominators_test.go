package dominators

import (
	"testing"

	"pgregory.net/rapid"
)

// slow is the algorithm of Cooper, Harvey and Kennedy, the oracle.
func slow(t *Tree, g Graph) []uint32 {
	first, preds := t.predecessors(g)
	idom := make([]uint32, len(t.Node))
	for i := 1; i < len(idom); i++ {
		idom[i] = None
	}
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(idom); i++ {
			best := None
			for _, p := range preds[first[i]:first[i+1]] {
				if p != 0 && idom[p] == None {
					continue
				}
				if best == None {
					best = p
					continue
				}
				for a := p; a != best; {
					if a > best {
						a = idom[a]
					} else {
						best = idom[best]
					}
				}
			}
			if idom[i] != best {
				idom[i], changed = best, true
			}
		}
	}
	return idom
}

func TestAgainstTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "nodes")
		g := Graph{First: []uint32{0}}
		for range n {
			g.To = append(g.To, rapid.SliceOfN(rapid.Uint32Range(0, uint32(n-1)), 0, 4).Draw(t, "edges")...)
			g.First = append(g.First, uint32(len(g.To)))
		}
		dropped := rapid.Uint32Range(0, 7).Draw(t, "dropped")
		g.Without = NewSet(len(g.To))
		for e := dropped; int(e) < len(g.To); e += 8 {
			g.Without.Add(e)
		}
		tree := Of(g, 0)
		want := slow(tree, g)
		for i := range want {
			if tree.Idom[i] != want[i] {
				t.Fatalf("idom of %d is %d, want %d; %+v", i, tree.Idom[i], want[i], g)
			}
		}
		for i := 1; i < len(want); i++ {
			if tree.Idom[i] >= uint32(i) {
				t.Fatalf("idom of %d is %d: loops backwards would see a parent before its child", i, tree.Idom[i])
			}
		}
	})
}

// list is a root that refers to every node of a doubly linked list and back:
// the shape of listeners and promise reactions.
func list(n int) Graph {
	g := Graph{First: []uint32{0}}
	for i := range n {
		if i+1 < n {
			g.To = append(g.To, uint32(i+1))
		}
		if i > 1 {
			g.To = append(g.To, uint32(i-1))
		}
		g.First = append(g.First, uint32(len(g.To)))
	}
	return g
}

// A chain must not cost the square of its length: a million nodes would then
// never end.
func TestLongList(t *testing.T) {
	tree := Of(list(1_000_000), 0)
	for i := 1; i < len(tree.Idom); i++ {
		if tree.Idom[i] != uint32(i-1) {
			t.Fatalf("idom of %d is %d", i, tree.Idom[i])
		}
	}
}

func BenchmarkList(b *testing.B) {
	g := list(1_000_000)
	for b.Loop() {
		Of(g, 0)
	}
}
