package memcheckact

import (
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// claimed tells whether the place was set right after it was read, under the same
// lock, because of what was read: the check has had its act, and what is set later
// is set by the one goroutine that won.
//
//	mu.Lock(); if n.dialing { return }; n.dialing = true; mu.Unlock()
//	…
//	mu.Lock(); n.dialing = false; mu.Unlock()
//
// So is an entry completed that was put there, empty, where none was found; not one
// that was changed where it was found, and stored where it was not.
func claimed(s *flow.Summary, i, j int) bool {
	for k := range s.Events {
		if k != j && claims(&s.Events[i], &s.Events[k], &s.Events[j]) &&
			s.After(i, k) && s.After(k, j) && pair.Locked(s, i, k) && pair.Decides(s, i, k, func(flow.Cond) bool { return true }) && !pair.Decides(s, i, k, present(&s.Events[i])) {
			return true
		}
	}
	return false
}

// present is the question of a branch that is taken when a map has an entry.
func present(read *flow.Event) func(flow.Cond) bool {
	return func(c flow.Cond) bool {
		return read.Op == libs.MapGet && c.Path == "" && c.Test == flow.Decides && (c.Text == "" && c.Yes || c.Text == "== nil" && !c.Yes || c.Text == "!= nil" && c.Yes)
	}
}

// claims tells whether an event sets what another read, before a third one does.
func claims(read, e, act *flow.Event) bool {
	if e.On.String() != read.On.String() {
		return false
	}
	switch read.Op {
	case libs.Load:
		return e.Op == libs.Store
	case libs.MapGet:
		return e.Op == libs.MapSet && act.Op == libs.MapSet && e.Key.String() == read.Key.String()
	}
	return false
}

// refreshed tells whether the time of the last refresh is set together with what was
// fetched, which is also what a caller gets who comes before it is time again: two
// that fetch at once waste work and lose nothing.
func refreshed(s *flow.Summary, i, j int) bool {
	for q := range s.Events {
		kept := &s.Events[q]
		if kept.Op != libs.Load || !s.After(i, q) || !pair.Locked(s, i, q) || !pair.Returned(s, q) || !pair.Decides(s, i, q, func(flow.Cond) bool { return true }) {
			continue
		}
		if slices.ContainsFunc(s.Events, func(e flow.Event) bool {
			return e.Op == libs.Store && e.On.String() == kept.On.String() && sharesLock(&e, &s.Events[j]) && sourced(s, &e)
		}) {
			return true
		}
	}
	return false
}

func sharesLock(a, b *flow.Event) bool {
	return slices.ContainsFunc(a.Held, func(l int) bool { return slices.Contains(b.Held, l) })
}

// owned tells whether one goroutine does both, and all else that stores into the
// container: others only read it.
func owned(pass *analysis.Pass, s *flow.Summary, p pair.Pair) bool {
	pkg := pass.ResultOf[flow.Analyzer].(*flow.Package)
	owner := function(pass, pkg, s)
	if owner == nil || s.Events[p.Act].On.Class == "" {
		return false
	}
	calls := callers.Of(pkg.Funcs)
	if !single(calls, owner) {
		return false
	}
	for _, o := range pkg.Own {
		for k := range o.Events {
			e := &o.Events[k]
			if len(e.Site) == 1 && acts(e.Op) && e.Op != libs.MapDelete && !(takesOut(&s.Events[p.Act]) && e.Call == "container/heap.Push") && e.On.Class == s.Events[p.Act].On.Class && !within(calls, function(pass, pkg, o), owner, 0) {
				return false
			}
		}
	}
	return true
}

// takesOut tells whether an event takes something out of a heap or a list: whoever adds
// to it meanwhile leaves enough to take.
func takesOut(e *flow.Event) bool {
	return e.Call == "container/heap.Pop" || e.Call == "container/heap.Remove" || e.Call == "(*container/list.List).Remove"
}

// function is the one that a summary is of.
func function(pass *analysis.Pass, pkg *flow.Package, s *flow.Summary) *ssa.Function {
	pos := s.Pos.In(pass.Fset)
	i := slices.IndexFunc(pkg.Funcs, func(fn *ssa.Function) bool { return fn.Pos() == pos })
	if i < 0 {
		return nil
	}
	return pkg.Funcs[i]
}

// single tells whether a function runs in one goroutine for each value that it
// belongs to: the only one that calls it makes the value, and starts it once.
func single(calls *callers.Index, fn *ssa.Function) bool {
	if !calls.Closed(fn) || len(calls.Calls(fn)) != 1 || fn.Signature.Recv() == nil {
		return false
	}
	g, ok := calls.Calls(fn)[0].(*ssa.Go)
	if !ok || cfg.Within(g.Block()) {
		return false
	}
	_, made := g.Call.Args[0].(*ssa.Alloc)
	return made
}

// within tells whether a function runs nowhere but in calls of another.
func within(calls *callers.Index, fn, owner *ssa.Function, depth int) bool {
	if fn == owner {
		return true
	}
	if fn == nil || depth > 4 || !calls.Closed(fn) {
		return false
	}
	return !slices.ContainsFunc(calls.Calls(fn), func(c ssa.CallInstruction) bool {
		_, direct := c.(*ssa.Call)
		return !direct || !within(calls, c.Parent(), owner, depth+1)
	})
}

// summed tells whether the step that counts says what it has counted to, and somebody
// compares that: the first look was a short cut, and this one decides.
//
//	if store.Get(key) >= limit { return false }
//	return store.Increment(key) <= limit
func summed(s *flow.Summary, i, j int) bool {
	for k := range s.Events {
		e := &s.Events[k]
		if k == i || !reads(e.Op) || e.On.String() != s.Events[i].On.String() || e.Key.String() != s.Events[i].Key.String() || !pair.Locked(s, k, j) || lessAsked(s, i, j, k) {
			continue
		}
		if slices.ContainsFunc(s.Results, func(r []flow.Part) bool {
			return slices.ContainsFunc(r, func(p flow.Part) bool { return p.Event == k && p.Calc })
		}) {
			return true
		}
	}
	return false
}
