package txretry

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// aborted finds what is tried again in the transaction that its failure has
// aborted, under the index of the event that began it; whoever sets savepoints
// knows how to go on there.
func aborted(all []stmt.Stmt, s *flow.Summary) map[int]flow.Found {
	if slices.ContainsFunc(all, func(o stmt.Stmt) bool { return o.Acc.Control == sqlread.Savepoint }) {
		return nil
	}
	out := map[int]flow.Found{}
	for _, w := range all {
		if begin, known := w.Tx(); known && begin != nil && tried(s, w.I, begin) {
			out[w.On.N] = abortedStory(w.Site[0], w.Text)
		}
	}
	for i := range s.Events {
		if begin := lent(s, i); begin >= 0 && tried(s, i, &s.Events[begin]) {
			out[begin] = abortedStory(s.Events[i].Site[0], "what the function does in it")
		}
	}
	return out
}

// tried reports whether an event is in a loop inside of the transaction, which
// asks its error for a conflict.
func tried(s *flow.Summary, i int, begin *flow.Event) bool {
	e := &s.Events[i]
	return len(e.Site) == 1 && len(e.Loop) > len(begin.Loop) && e.Loop[len(e.Loop)-1].Own && asksConflict(s, i)
}

// lent is the index of the event that begins the transaction which a called
// function is given, or -1.
func lent(s *flow.Summary, i int) int {
	if e := &s.Events[i]; e.Op == libs.Calls && len(e.Site) == 1 {
		for _, a := range e.Args {
			if a.Root == flow.Result && s.Events[a.N].Op == libs.Begin {
				return a.N
			}
		}
	}
	return -1
}
