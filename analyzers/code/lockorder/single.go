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
	f := flow.Found{At: e.Site[0], Severity: "high"}
	f.Related = []flow.Note{{At: innermost(held), Text: name + " was taken here, and is still held"}}
	if len(e.Site) > 1 {
		f.Related = append(f.Related, flow.Note{At: innermost(e), Text: "it is taken again here"})
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
	given := a.Root == flow.Param && b.Root == flow.Param && a.N != b.N && a.Known() && b.Known()
	if len(held.Site) > 1 || !given && !j.elements(s, held, e) || j.ordered(s, a, b) {
		return
	}
	name := short(e.On.Class)
	j.report(flow.Found{At: e.Site[0], Severity: "high",
		Message: tell.Story("deadlock: two values of one type are locked in the order in which the caller gives them ("+name+")",
			"  goroutine A: f(x, y) locks x, wants y",
			"  goroutine B: f(y, x) locks y, wants x",
			"  each waits for the other, for ever",
			"fix: lock in an order of their own, the smaller id first, and only one lock when both are the same"),
		Related: []flow.Note{{At: innermost(held), Text: "the first is locked here"}},
	})
}

// elements tells whether two different elements of a map or slice are locked,
// by keys that the caller gave.
func (j *judge) elements(s *flow.Summary, held, e *flow.Event) bool {
	if len(e.Site) > 1 || len(e.Loop) != len(held.Loop) {
		return false
	}
	x, y := j.receiver(s, held), j.receiver(s, e)
	if x == nil || y == nil {
		return false
	}
	if lookedUp(x, y) {
		return true
	}
	a, b := place.Of(x), place.Of(y)
	return a.Kind == place.Elem && b.Kind == place.Elem && a.Args[0].Equal(b.Args[0]) && !a.Args[1].Equal(b.Args[1]) &&
		a.Args[1].Root().Kind == place.Param && b.Args[1].Root().Kind == place.Param
}

// lookedUp tells whether one function finds both, under two keys that the caller gave.
func lookedUp(x, y ssa.Value) bool {
	a, isCall := x.(*ssa.Call)
	b, isOther := y.(*ssa.Call)
	if !isCall || !isOther || a.Call.StaticCallee() == nil || a.Call.StaticCallee() != b.Call.StaticCallee() {
		return false
	}
	differ := false
	for i := range a.Call.Args {
		p, q := place.Of(a.Call.Args[i]), place.Of(b.Call.Args[i])
		if p.Equal(q) {
			continue
		}
		if p.Root().Kind != place.Param || q.Root().Kind != place.Param {
			return false
		}
		differ = true
	}
	return differ
}

// receiver is the value whose lock an event takes.
func (j *judge) receiver(s *flow.Summary, e *flow.Event) (v ssa.Value) {
	fn := j.function(s)
	if fn == nil {
		return nil
	}
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(*ssa.Call)
		p := j.pass.Fset.Position(in.Pos())
		if !ok || p.Line != e.Site[0].Line || p.Column != e.Site[0].Col || len(c.Call.Args) == 0 {
			return
		}
		if fa, ok := c.Call.Args[0].(*ssa.FieldAddr); ok {
			v = fa.X
		}
	})
	return v
}

// function finds the function of a summary.
func (j *judge) function(s *flow.Summary) *ssa.Function {
	for _, fn := range j.pkg.Funcs {
		if j.summary(fn) == s {
			return fn
		}
	}
	return nil
}

// ordered tells whether the function compares two values of its own choice, as
// one does that puts them in order first.
func (j *judge) ordered(s *flow.Summary, a, b flow.Desc) bool {
	fn, found := j.function(s), false
	if fn == nil {
		return true
	}
	cfg.Each(fn, func(in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.BinOp:
			switch in.Op {
			case token.LSS, token.GTR, token.LEQ, token.GEQ:
				x, y := place.Of(in.X).Root(), place.Of(in.Y).Root()
				found = found || x.Kind == place.Param && y.Kind == place.Param && x.Index != y.Index && !other(x.Index, a, b) && !other(y.Index, a, b)
			}
		case *ssa.Call:
			name := place.CalleeName(in.Common())
			found = found || strings.HasPrefix(name, "sort.") || strings.HasPrefix(name, "slices.Sort") || strings.HasSuffix(name, ".Compare")
		}
	})
	return found
}

// other tells whether a parameter is none of the two whose locks are taken: to
// compare a balance with an amount puts nothing in order.
func other(n int, a, b flow.Desc) bool {
	return a.Root == flow.Param && b.Root == flow.Param && a.N != b.N && n != a.N && n != b.N
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
			if !holdsConn(c) {
				continue
			}
			if pool := class(c); pool != "pool:" && s.After(k, i) && !released(s, k, i) {
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
