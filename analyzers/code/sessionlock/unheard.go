package sessionlock

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// unheard reports whether the unlock at the end of the work runs with the context of
// the work, its failure is not looked at, and the connection goes back to its pool: a
// request that was cancelled unlocks nothing.
func unheard(s *flow.Summary, w stmt.Stmt) bool {
	if w.Handle != libs.Pinned || w.Ctx.Root != flow.Param || !w.Deferred && !atTheEnd(s, w) || heard(s, w.I) {
		return false
	}
	return slices.ContainsFunc(s.Events, func(e flow.Event) bool {
		return e.Op == libs.Release && e.On.Same(w.On.Desc)
	})
}

// atTheEnd reports whether the function is a literal that captured the connection, as
// one does that is returned or deferred to release a lock.
func atTheEnd(s *flow.Summary, w stmt.Stmt) bool {
	return s.Parent != "" && w.On.Root == flow.Param && !slices.ContainsFunc(s.Events, func(e flow.Event) bool { return takes.MatchString(e.SQL) })
}

// heard reports whether anybody looks at what an event answered, or at its error.
func heard(s *flow.Summary, i int) bool {
	of := func(p flow.Part) bool { return p.Event == i }
	if slices.ContainsFunc(s.Asks, func(a flow.Ask) bool { return a.Event == i }) || slices.ContainsFunc(s.Results, func(r []flow.Part) bool { return slices.ContainsFunc(r, of) }) {
		return true
	}
	if slices.ContainsFunc(s.Outs, func(o flow.Out) bool { return slices.ContainsFunc(o.From, of) }) {
		return true
	}
	return slices.ContainsFunc(s.Events, func(e flow.Event) bool {
		return slices.ContainsFunc(e.Conds, func(c flow.Cond) bool { return c.Event == i }) ||
			slices.ContainsFunc(e.Args, func(a flow.Value) bool { return slices.ContainsFunc(a.From, of) })
	})
}

func unheardStory(w stmt.Stmt) flow.Found {
	mends := "Fix, best first: pg_advisory_xact_lock, which needs no unlock; unlock with context.WithoutCancel(ctx) and a time-out, and close the connection for good when that fails"
	if mysql.MatchString(w.SQL) {
		mends = "Fix: unlock with context.WithoutCancel(ctx) and a time-out, and close the connection for good when that fails"
	}
	return found(w, "medium",
		"this unlock fails at once when the work was cancelled, nobody looks at that, and the connection is given back to the pool with the lock",
		"request A: takes the lock and works; its client goes away, and the context is cancelled",
		"request A: "+w.Text+"   -- context canceled, and the session keeps the lock",
		"request B: waits for ever; whoever gets the connection next passes",
		mends)
}
