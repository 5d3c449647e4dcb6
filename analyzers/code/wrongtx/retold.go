package wrongtx

import (
	"path/filepath"
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// retold reports whether a function that this one calls begins the transaction and
// runs the statement beside it on the same pool: it is told there, once, and not
// again at each of its callers. A statement of a function literal that this one
// hands to the other is its own.
func retold(s *flow.Summary, begin *flow.Event, w stmt.Stmt) bool {
	n := shared(begin.Site, w.Site)
	if n == 0 {
		return false
	}
	if filepath.Dir(begin.Inner().File) != filepath.Dir(s.Pos.File) {
		mine := func(p flow.Pos) bool { return filepath.Dir(p.File) == filepath.Dir(s.Pos.File) }
		return w.On.Root == flow.Global && !slices.ContainsFunc(w.Site[n:], mine)
	}
	return slices.ContainsFunc(s.Others(), func(o *flow.Summary) bool {
		b, i := event(o, begin.Site[n:]), event(o, w.Site[n:])
		return !o.Folded && b != nil && i != nil && b.On.Same(i.On.Desc)
	})
}

// shared is the number of calls that two ways have in common.
func shared(a, b []flow.Pos) int {
	n := 0
	for n < min(len(a), len(b))-1 && a[n] == b[n] {
		n++
	}
	return n
}

// event is what a function knows at the end of a way, nil for nothing.
func event(s *flow.Summary, way []flow.Pos) *flow.Event {
	for i := range s.Events {
		if slices.Equal(s.Events[i].Site, way) {
			return &s.Events[i]
		}
	}
	return nil
}
