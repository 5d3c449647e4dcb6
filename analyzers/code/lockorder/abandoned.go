package lockorder

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// abandoned judges a send under a lock to somebody who put his channel where those are
// that wait, and who takes the lock when he goes without his answer: to take the channel
// out again.
func (j *judge) abandoned(s *flow.Summary, e *flow.Event) {
	for _, h := range e.Held {
		held := &s.Events[h]
		for _, fn := range j.pkg.Funcs {
			o, l := j.gives(fn, e.On.Class, class(held))
			if l == nil || held.Op == libs.RLock && l.Op == libs.RLock {
				continue
			}
			name := short(held.On.Class)
			j.report(flow.Found{At: j.at(e), Severity: "high",
				Message: tell.Story("deadlock: a value is sent while "+name+" is held, to one who may no longer receive it and takes the lock first",
					"  goroutine A, in "+short(s.Name)+": holds "+name+", and waits for the receiver of this channel",
					"  goroutine B, in "+short(o.Name)+": has given up without a receive, and wants "+name,
					"  each waits for the other, for ever",
					"fix: make the channel with room for the one answer, make(chan T, 1); for more than one, send in a select with what ends when the receiver goes; or give back the lock before the send"),
				Related: []flow.Note{{At: innermost(held), Text: name + " was taken here"}, {At: innermost(l), Text: "who gives up takes it here"}},
			})
			return
		}
	}
}

// gives is where a function that puts a channel without room among those that wait
// takes the lock on a way that does not receive from the channel.
func (j *judge) gives(fn *ssa.Function, waiting, lock string) (*flow.Summary, *flow.Event) {
	if lock == "" || waiting == "" {
		return nil, nil
	}
	for _, t := range j.tickets(fn, waiting) {
		o := j.summary(fn)
		if o == nil || !t.received(fn) {
			continue
		}
		for i := range o.Events {
			if e := &o.Events[i]; (e.Op == libs.Lock || e.Op == libs.RLock) && !e.Async && !e.Later && class(e) == lock && j.unserved(t, e) {
				return o, e
			}
		}
	}
	return nil, nil
}

// unserved tells whether a lock can be taken after the channel was put among those that
// wait, and before anything was received from it. A deferred call runs at the return.
func (j *judge) unserved(t ticket, l *flow.Event) bool {
	var chosen *ssa.Select
	state := -1
	return cfg.Walk(t.put, func(in ssa.Instruction) cfg.Step {
		switch in := in.(type) {
		case *ssa.UnOp:
			if t.receives(in) {
				return cfg.Stop
			}
		case *ssa.Select:
			if n := t.among(in); n >= 0 {
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
	p, at := j.pass.Fset.Position(c.Pos()), e.Site[0]
	return p.Filename == at.File && p.Line == at.Line && p.Column == at.Col
}
