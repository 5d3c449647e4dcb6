package lockorder

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// listed judges locks that a loop takes one after the other, and keeps, in an order
// that is not the same each time: that of a list which the caller gives, or of a map.
func (j *judge) listed(s *flow.Summary, i int) {
	e := &s.Events[i]
	if e.Op != libs.Lock || len(e.Site) > 1 || e.Async || len(e.Held) > 0 || len(e.Loop) == 0 || !strings.Contains(e.On.Path, "[]") || !s.After(i, i) {
		return
	}
	l := e.Loop[len(e.Loop)-1]
	given := l.Over.Root == flow.Param && l.Over.Path == "" && !(l.Over.N == 0 && strings.Contains(s.Name, ")."))
	switch {
	case l.Own || l.Sorted || givenBackInside(s, i) || pair.Alone(j.pkg.Own, s, i, i, underLock):
	case shuffled(l):
		j.severally(e, l, "in the order of a map, which is another one each time",
			"fix: collect the keys, sort them, and take the locks in that order")
	case given && !j.ordered(s, flow.Desc{}, flow.Desc{}):
		j.severally(e, l, "in the order in which the caller lists them",
			"fix: sort the list, and drop what is in it twice, before the first lock")
	}
}

// underLock tells whether a function takes a lock while it holds another one.
func underLock(s *flow.Summary, i, _ int) bool { return len(s.Events[i].Held) > 0 }

// shuffled tells whether a loop goes over a map that others see too: what is in a map
// of one's own may be one's own as well.
func shuffled(l flow.Loop) bool {
	return l.Map && (l.Over.Root == flow.Param || l.Over.Root == flow.Global)
}

// severally reports locks that a loop takes, in an order that it describes.
func (j *judge) severally(e *flow.Event, l flow.Loop, order, fix string) {
	j.report(flow.Found{At: e.Site[0], Severity: "high",
		Message: tell.Story("deadlock: several locks are taken "+order,
			"  goroutine A: locks x, wants y",
			"  goroutine B: locks y, wants x",
			"  each waits for the other, for ever",
			fix),
		Related: []flow.Note{{At: l.Pos, Text: "the order is that of this loop"}},
	})
}

// givenBackInside tells whether each turn of the loop gives its lock back: a function
// that the turn calls does so with its defer, too.
func givenBackInside(s *flow.Summary, i int) bool {
	e := &s.Events[i]
	l := e.Loop[len(e.Loop)-1]
	return slices.ContainsFunc(s.Events, func(u flow.Event) bool {
		return u.Op == libs.Unlock && !(u.Deferred && u.In == l.In) && u.On.String() == e.On.String() && len(u.Loop) == len(e.Loop) && u.Loop[len(u.Loop)-1].Pos == l.Pos
	})
}
