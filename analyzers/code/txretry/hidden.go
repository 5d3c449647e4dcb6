package txretry

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// hidden finds the places where an error of a transaction that somebody runs again
// after a conflict loses what it was: one of a statement, or of a function that is
// given the transaction.
func hidden(all []stmt.Stmt, s *flow.Summary) []flow.Ask {
	var out []flow.Ask
	for _, a := range s.Asks {
		if a.Event < 0 || !strings.HasPrefix(a.Text, "hide ") || a.In != s.Name && !strings.HasPrefix(a.In, s.Name+"$") {
			continue
		}
		if begin := lent(s, a.Event); begin >= 0 {
			if refuses(all, s, begin) && retriedForCode(s, begin) {
				out = append(out, a)
			}
			continue
		}
		if slices.ContainsFunc(all, func(w stmt.Stmt) bool { return w.I == a.Event && len(w.Site) == 1 && waitedFor(all, s, w) }) {
			out = append(out, a)
		}
	}
	return out
}

// waitedFor reports whether the code of a conflict, in the error of a statement,
// is what a retry around its transaction waits for.
func waitedFor(all []stmt.Stmt, s *flow.Summary, w stmt.Stmt) bool {
	if begin, _ := w.Tx(); begin != nil {
		return len(begin.Site) == 1 && refuses(all, s, w.On.N) && retriedForCode(s, w.On.N)
	}
	return w.On.Root == flow.Param && slices.ContainsFunc(s.Seen(w.I), func(c flow.Context) bool {
		on := c.Events[c.Index].On.Desc
		if on.Root != flow.Result || c.Folded || c.Events[on.N].Op != libs.Begin || !refuses(stmt.All(c.Summary), c.Summary, on.N) {
			return false
		}
		return runsForCode(c.Summary, on.N) || retriedForCode(c.Summary, on.N)
	})
}

// swallowed reports whether an event is the commit of a transaction that a caller
// runs again after a conflict, and its error does not reach the caller: another
// one is returned in its place.
func swallowed(all []stmt.Stmt, s *flow.Summary, i int) bool {
	c := &s.Events[i]
	if c.Op != libs.Commit || len(c.Site) > 1 || c.Deferred || c.Call == "" || c.On.Root != flow.Result || len(s.Results) == 0 {
		return false
	}
	begin := c.On.N
	if s.Events[begin].Op != libs.Begin || len(s.Events[begin].Site) > 1 || !refuses(all, s, begin) || !retriedForCode(s, begin) {
		return false
	}
	asked := slices.ContainsFunc(s.Asks, func(a flow.Ask) bool { return a.Event == i && a.Text != "compare" })
	return !asked && !slices.ContainsFunc(s.Results, func(r []flow.Part) bool {
		return slices.ContainsFunc(r, func(p flow.Part) bool { return p.Event == i })
	})
}

// retriedForCode reports whether a caller runs the event again when it finds the
// code of a conflict in the error.
func retriedForCode(s *flow.Summary, i int) bool {
	return slices.ContainsFunc(s.Seen(i), func(c flow.Context) bool { return runsForCode(c.Summary, c.Index) })
}

// runsForCode reports whether the function itself does.
func runsForCode(s *flow.Summary, i int) bool {
	return len(s.Events[i].Loop) > 0 && slices.ContainsFunc(s.Asks, func(a flow.Ask) bool { return conflict.MatchString(a.Text) })
}
