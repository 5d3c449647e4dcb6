package memcheckact

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// drained finds lists and counters that are read under one lock, handed on, and set
// back to nothing under the next, while others add to them: what was added between is
// lost.
func drained(s *flow.Summary) []pair.Pair {
	var out []pair.Pair
	for j := range s.Events {
		for i := range s.Events {
			if drains(s, i, j) && pair.Ours(s, i, j) && !pair.Locked(s, i, j) && !once(s, i, j) && grows(s, s.Events[j].On.Class) {
				out = append(out, pair.Pair{Check: i, Act: j})
				break
			}
		}
	}
	return out
}

// drains tells whether event i reads what event j sets back to nothing, and a call gets
// it between the two; and it is not read again under the lock of j, nor set back before
// under that of i.
func drains(s *flow.Summary, i, j int) bool {
	read, act := &s.Events[i], &s.Events[j]
	if act.Op != libs.Store || read.Op != libs.Load || !nothing(&act.Val) || !shared(act.On.Desc) || !read.On.Same(act.On.Desc) {
		return false
	}
	if selfLocked(read) != selfLocked(act) || !selfLocked(act) && (len(read.Held) == 0 || len(act.Held) == 0) {
		return false
	}
	given := false
	for k := range s.Events {
		e := &s.Events[k]
		if !s.After(i, k) || !s.After(k, j) {
			continue
		}
		if k != i && k != j && e.On.Same(act.On.Desc) && (reads(e.Op) && pair.Locked(s, k, j) || e.Op == libs.Store && pair.Locked(s, i, k)) {
			return false
		}
		given = given || (e.Op == libs.Calls || e.Op == libs.Exec || e.Op == libs.Send) && slices.ContainsFunc(append(e.Args[:len(e.Args):len(e.Args)], e.Val), func(v flow.Value) bool { return hasOf(v, i) })
	}
	return given
}

func hasOf(v flow.Value, i int) bool {
	return slices.ContainsFunc(v.From, func(p flow.Part) bool { return p.Event == i })
}

// nothing tells whether a value is an empty list or map, or zero.
func nothing(v *flow.Value) bool {
	if v.Root == flow.Const {
		return v.Name == "nil" || v.Name == "0"
	}
	return v.Class == "new" && len(v.From) == 0
}

// grows tells whether another function adds to what is in a field: to a counter, a list
// or a map.
func grows(s *flow.Summary, class string) bool {
	return class != "" && slices.ContainsFunc(s.Others(), func(o *flow.Summary) bool {
		return o != s && slices.ContainsFunc(o.Events, func(e flow.Event) bool {
			return e.On.Class == class && (e.Op == libs.MapSet || e.Op == libs.CAS || e.Op == libs.Store && extends(o, &e))
		})
	})
}

// extends tells whether a store adds to what it has read.
func extends(o *flow.Summary, e *flow.Event) bool {
	sum := e.Val.Root == flow.Expr && e.Val.Name == "+"
	return (sum || e.Val.Class == "new") && slices.ContainsFunc(e.Val.From, func(p flow.Part) bool {
		return p.Event >= 0 && o.Events[p.Event].Op == libs.Load && o.Events[p.Event].On.String() == e.On.String()
	})
}
