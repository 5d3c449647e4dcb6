package lockorder

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// again reports a lock that is taken while the same one is held.
func (j *judge) again(s *flow.Summary, held, e *flow.Event) {
	if len(e.Site) > 1 && len(held.Site) > 1 && e.Site[0] == held.Site[0] {
		return // the callee's own matter
	}
	name := short(e.On.Class)
	f := flow.Found{At: j.at(e), Severity: "high"}
	f.Related = []flow.Note{{At: innermost(held), Text: name + " was taken here, and is still held"}}
	if len(e.Site) > 1 {
		f.Related = append(f.Related, flow.Note{At: e.Site[0], Text: "the call under the lock"})
	}
	if held.Op == libs.RLock && e.Op == libs.RLock {
		f.Message = tell.Story("deadlock: "+name+" is taken for reading while it is held for reading already",
			"  goroutine A: RLock",
			"  goroutine B: Lock, waits for A, and from now on new readers wait for B",
			"  goroutine A: RLock again, waits for B: both wait for ever",
			"fix: take it once, in the exported method, and call helpers that expect it held")
	} else {
		f.Message = tell.Story("deadlock: "+name+" is taken while the same goroutine holds it already",
			"  "+short(s.Name)+" holds the lock",
			"  it takes the lock again: sync locks are not re-entrant, it waits for itself, and everybody else waits too",
			"fix: split the inner function into one that locks and one that expects the lock held, and call the second")
	}
	j.report(f)
}

// siblings judges two values of one type that are locked one after the other.
func (j *judge) siblings(s *flow.Summary, held, e *flow.Event) {
	a, b := held.On.Desc, e.On.Desc
	if a.Root != flow.Param || b.Root != flow.Param || a.N == b.N || !a.Known() || !b.Known() || len(held.Site) > 1 || len(e.Site) > 1 {
		return
	}
	if j.ordered(s, a.N, b.N) {
		return
	}
	name := short(e.On.Class)
	j.report(flow.Found{At: j.at(e), Severity: "high",
		Message: tell.Story("deadlock: two values of one type are locked in the order in which the caller gives them ("+name+")",
			"  goroutine A: f(x, y) locks x, wants y",
			"  goroutine B: f(y, x) locks y, wants x",
			"  each waits for the other, for ever",
			"fix: lock in an order of their own, the smaller id first, and only one lock when both are the same"),
		Related: []flow.Note{{At: innermost(held), Text: "the first is locked here"}},
	})
}

// ordered tells whether the function compares something of the two parameters.
func (j *judge) ordered(s *flow.Summary, a, b int) bool {
	for _, fn := range j.pkg.Funcs {
		if j.summary(fn) != s {
			continue
		}
		found := false
		cfg.Each(fn, func(in ssa.Instruction) {
			c, ok := in.(*ssa.BinOp)
			if !ok {
				return
			}
			switch c.Op {
			case token.LSS, token.GTR, token.LEQ, token.GEQ:
				x, y := place.Of(c.X).Root(), place.Of(c.Y).Root()
				found = found || x.Kind == place.Param && y.Kind == place.Param && x.Index != y.Index
			}
		})
		return found
	}
	return false
}

// pooled notes that a lock is taken while a connection of a pool is held, and
// the reverse: a pool is a lock with many holders.
func (j *judge) pooled(s *flow.Summary) {
	for i := range s.Events {
		e := &s.Events[i]
		if e.Op != libs.Lock && e.Op != libs.RLock || e.Async || class(e) == "" {
			continue
		}
		for k := range s.Events {
			c := &s.Events[k]
			if pool := class(c); holdsConn(c) && pool != "pool:" && s.After(k, i) && !released(s, k, i) {
				j.own = append(j.own, edge{From: pool, To: class(e), At: j.at(e), Held: innermost(c), Func: s.Name, ToRead: e.Op == libs.RLock})
			}
		}
	}
	for i := range s.Events {
		e := &s.Events[i]
		statement := (e.Op == libs.Query || e.Op == libs.Exec) && e.Handle == libs.Pool
		if !statement || e.Async {
			continue
		}
		for _, h := range e.Held {
			if from := class(&s.Events[h]); from != "" && strings.TrimPrefix(class(e), "pool:") != "" {
				j.own = append(j.own, edge{From: from, To: class(e), At: j.at(e), Held: innermost(&s.Events[h]), Under: j.under(s, e, h), Func: s.Name})
			}
		}
	}
}

func holdsConn(e *flow.Event) bool {
	return e.Op == libs.Conn || e.Op == libs.Begin && e.Handle == libs.Pool
}

// released tells whether the connection is given back, for sure or not, between
// the two events.
func released(s *flow.Summary, k, i int) bool {
	for m := range s.Events {
		e := &s.Events[m]
		if (e.Op == libs.Release || e.Op == libs.Commit) && !e.Deferred && s.After(k, m) && s.After(m, i) {
			return true
		}
	}
	return false
}
