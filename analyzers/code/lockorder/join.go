package lockorder

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// joins judges a receive, under a lock, from a channel that a goroutine closes when
// it ends, and which takes the lock before that.
func (j *judge) joins(s *flow.Summary, e *flow.Event) {
	if len(e.Site) > 1 || e.On.Class == "" || !j.alone(s, e.On.Class) {
		return
	}
	for _, h := range e.Held {
		held := &s.Events[h]
		for _, o := range j.pkg.Own {
			l := j.locksFirst(o, e.On.Class, class(held))
			if o == s || l == nil || held.Op == libs.RLock && l.Op == libs.RLock {
				continue
			}
			name := short(held.On.Class)
			j.report(flow.Found{At: j.at(e), Severity: "high",
				Message: tell.Story("deadlock: the end of a goroutine is waited for while "+name+" is held, and the goroutine takes it before it ends",
					"  "+short(s.Name)+" holds "+name+", and waits for the channel to be closed",
					"  the goroutine, "+short(o.Name)+", wants "+name+" once more before it looks whether it should stop",
					"  each waits for the other, for ever",
					"fix: give back the lock before the wait"),
				Related: []flow.Note{{At: innermost(held), Text: name + " was taken here"}, {At: innermost(l), Text: "the goroutine takes it here"}},
			})
			return
		}
	}
}

// alone tells whether the function receives from the channel and waits for nothing
// else at once, as a select would.
func (j *judge) alone(s *flow.Summary, channel string) bool {
	fn, found := j.function(s), false
	if fn == nil {
		return false
	}
	cfg.Each(fn, func(in ssa.Instruction) {
		u, ok := in.(*ssa.UnOp)
		found = found || ok && u.Op == token.ARROW && loadedFrom(u.X) == channel
	})
	return found
}

// locksFirst is where a function takes the lock that defers the close of the channel.
func (j *judge) locksFirst(o *flow.Summary, channel, lock string) *flow.Event {
	fn, closes := j.function(o), false
	if fn == nil || lock == "" {
		return nil
	}
	cfg.Each(fn, func(in ssa.Instruction) {
		d, ok := in.(*ssa.Defer)
		closes = closes || ok && place.CalleeName(d.Common()) == "builtin.close" && loadedFrom(d.Call.Args[0]) == channel
	})
	for i := range o.Events {
		if e := &o.Events[i]; closes && (e.Op == libs.Lock || e.Op == libs.RLock) && !e.Async && !e.Later && class(e) == lock {
			return e
		}
	}
	return nil
}

// loadedFrom is the declaration that a value was read from.
func loadedFrom(v ssa.Value) string {
	if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
		return declared(u.X)
	}
	return ""
}
