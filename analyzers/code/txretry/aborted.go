package txretry

import (
	"cmp"
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
			out[w.On.N] = abortedStory(repeated(s, w.Event), w.Text)
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
// asks its error for a conflict. One that goes on only where there was no error runs
// nothing again.
func tried(s *flow.Summary, i int, begin *flow.Event) bool {
	e := &s.Events[i]
	return len(e.Loop) > len(begin.Loop) && e.Loop[len(e.Loop)-1].Own && asksConflict(s, i) && !slices.ContainsFunc(e.Conds, func(c flow.Cond) bool {
		return c.Event == i && c.Test == flow.NoErr
	})
}

// repeated is the place in the loop: the statement itself where the function that
// has it has the loop as well, and else the call in this one.
func repeated(s *flow.Summary, e *flow.Event) flow.Pos {
	if loop := e.Loop[len(e.Loop)-1]; loop.In == e.In {
		return e.Site[len(e.Site)-1]
	}
	return e.Site[0]
}

// borrowed finds what a function tries again in a transaction that it was given:
// whoever began it cannot run it again from there.
func borrowed(all []stmt.Stmt, s *flow.Summary) []flow.Found {
	if slices.ContainsFunc(all, func(o stmt.Stmt) bool { return o.Acc.Control == sqlread.Savepoint }) {
		return nil
	}
	for i := range s.Events {
		e := &s.Events[i]
		if statement := e.Op == libs.Query || e.Op == libs.Exec; statement && e.Handle == libs.Tx && e.On.Root == flow.Param && len(e.Site) == 1 && tried(s, i, &flow.Event{}) {
			return []flow.Found{abortedStory(e.Site[0], cmp.Or(e.SQL, "the statement"))}
		}
	}
	return nil
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
