package lockorder

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// listed judges locks that a loop takes one after the other, in the order of a list
// that the caller gives, and keeps.
func (j *judge) listed(s *flow.Summary, i int) {
	e := &s.Events[i]
	if e.Op != libs.Lock || len(e.Site) > 1 || e.Async || len(e.Held) > 0 || len(e.Loop) == 0 || !strings.Contains(e.On.Path, "[]") {
		return
	}
	l := e.Loop[len(e.Loop)-1]
	given := l.Over.Root == flow.Param && l.Over.Path == "" && !(l.Over.N == 0 && strings.Contains(s.Name, ")."))
	if !given || l.Own || l.Sorted || givenBackInside(s, i) || j.ordered(s, flow.Desc{}, flow.Desc{}) {
		return
	}
	j.report(flow.Found{At: e.Site[0], Severity: "high",
		Message: tell.Story("deadlock: several locks are taken in the order in which the caller lists them",
			"  goroutine A: f(x, y) locks x, wants y",
			"  goroutine B: f(y, x) locks y, wants x",
			"  each waits for the other, for ever",
			"fix: sort the list, and drop what is in it twice, before the first lock"),
		Related: []flow.Note{{At: l.Pos, Text: "the order is that of this list"}},
	})
}

// givenBackInside tells whether each turn of the loop gives its lock back.
func givenBackInside(s *flow.Summary, i int) bool {
	e := &s.Events[i]
	return slices.ContainsFunc(s.Events, func(u flow.Event) bool {
		return u.Op == libs.Unlock && !u.Deferred && u.On.String() == e.On.String() && len(u.Loop) == len(e.Loop) && u.Loop[len(u.Loop)-1].Pos == e.Loop[len(e.Loop)-1].Pos
	})
}
