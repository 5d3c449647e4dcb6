package lockorder

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// abandoned judges a send under a lock to somebody who put his channel into a list of
// those that wait, and who takes the lock when he goes without his answer: to take the
// channel out of the list.
func (j *judge) abandoned(s *flow.Summary, e *flow.Event) {
	list, ok := strings.CutSuffix(e.On.Class, "[]")
	if !ok {
		return
	}
	for _, h := range e.Held {
		held := &s.Events[h]
		for _, o := range j.pkg.Own {
			l := j.gives(o, list, class(held))
			if l == nil || held.Op == libs.RLock && l.Op == libs.RLock {
				continue
			}
			name := short(held.On.Class)
			j.report(flow.Found{At: j.at(e), Severity: "high",
				Message: tell.Story("deadlock: a value is sent while "+name+" is held, to one who may no longer receive it and takes the lock first",
					"  goroutine A, in "+short(s.Name)+": holds "+name+", and waits for the receiver of this channel",
					"  goroutine B, in "+short(o.Name)+": has given up without a receive, and wants "+name,
					"  each waits for the other, for ever",
					"fix: make the channel with room for the one answer, make(chan T, 1); or give back the lock before the send"),
				Related: []flow.Note{{At: innermost(held), Text: name + " was taken here"}, {At: innermost(l), Text: "who gives up takes it here"}},
			})
			return
		}
	}
}

// gives is where a function that puts a channel without room into a list takes the
// lock on a way that does not receive from the channel.
func (j *judge) gives(o *flow.Summary, list, lock string) (l *flow.Event) {
	fn := j.function(o)
	if fn == nil || lock == "" {
		return nil
	}
	cfg.Each(fn, func(in ssa.Instruction) {
		put, ok := in.(*ssa.MapUpdate)
		if !ok || l != nil || loadedFrom(put.Map) != list {
			return
		}
		made, ok := captured(put.Value).(*ssa.MakeChan)
		if !ok || !empty(made) || !received(fn, made) {
			return
		}
		for i := range o.Events {
			if e := &o.Events[i]; (e.Op == libs.Lock || e.Op == libs.RLock) && !e.Async && !e.Later && class(e) == lock && j.unserved(put, made, e) {
				l = e
				return
			}
		}
	})
	return l
}

// empty tells whether a channel has no room.
func empty(made *ssa.MakeChan) bool {
	k, ok := made.Size.(*ssa.Const)
	return ok && k.Int64() == 0
}

// unserved tells whether a lock can be taken after the channel was put into the list,
// and before anything was received from it. A deferred call runs at the return.
func (j *judge) unserved(put *ssa.MapUpdate, made ssa.Value, l *flow.Event) bool {
	var chosen *ssa.Select
	state := -1
	return cfg.Walk(put, func(in ssa.Instruction) cfg.Step {
		switch in := in.(type) {
		case *ssa.UnOp:
			if receives(in, made) {
				return cfg.Stop
			}
		case *ssa.Select:
			if n := slices.IndexFunc(in.States, func(st *ssa.SelectState) bool { return st.Dir == types.RecvOnly && captured(st.Chan) == made }); n >= 0 {
				chosen, state = in, n
			}
		case *ssa.Return:
			if l.Deferred {
				return cfg.Found
			}
		case *ssa.Call:
			if !l.Deferred && j.starts(in, l) {
				return cfg.Found
			}
		}
		return cfg.On
	}, func(from, to *ssa.BasicBlock) bool {
		if chosen == nil {
			return false
		}
		n, yes, ok := cfg.Case(chosen, from, slices.Index(from.Succs, to))
		return ok && yes && n == state
	})
}

// starts tells whether a call is what leads to an event.
func (j *judge) starts(c *ssa.Call, e *flow.Event) bool {
	p := j.pass.Fset.Position(c.Pos())
	at := e.Site[0]
	return p.Filename == at.File && p.Line == at.Line && p.Column == at.Col || place.CalleeName(c.Common()) == e.Call && p.Line == at.Line
}

// received tells whether a function receives from a channel at all: one that hands it
// to others knows nothing of its fate.
func received(fn *ssa.Function, made ssa.Value) bool {
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.UnOp:
			found = found || receives(in, made)
		case *ssa.Select:
			found = found || slices.ContainsFunc(in.States, func(st *ssa.SelectState) bool { return st.Dir == types.RecvOnly && captured(st.Chan) == made })
		}
	})
	return found
}

func receives(in *ssa.UnOp, made ssa.Value) bool {
	return in.Op == token.ARROW && captured(in.X) == made
}
