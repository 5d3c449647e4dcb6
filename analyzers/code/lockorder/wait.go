package lockorder

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// waits judges a wait for goroutines under a lock that one of them takes before
// it is done.
func (j *judge) waits(s *flow.Summary, e *flow.Event) {
	for _, h := range e.Held {
		held := &s.Events[h]
		for _, o := range j.pkg.Own {
			l := needs(o, class(e), class(held))
			if l == nil {
				l = j.startsMore(o, class(e), class(held))
			}
			if l == nil || held.Op == libs.RLock && l.Op == libs.RLock {
				continue
			}
			name := short(held.On.Class)
			j.report(flow.Found{At: j.at(e), Severity: "high",
				Message: tell.Story("deadlock: goroutines are waited for while "+name+" is held, and they take it before they are done",
					"  "+short(s.Name)+" holds "+name+", and waits for the group",
					"  a goroutine of the group, "+short(o.Name)+", wants "+name,
					"  each waits for the other, for ever",
					"fix: give back the lock before Wait; take it again afterwards for what the goroutines have left"),
				Related: []flow.Note{{At: innermost(held), Text: name + " was taken here"}, {At: innermost(l), Text: "the goroutine takes it here"}},
			})
			return
		}
	}
}

// needs is where a goroutine that ends with Done on the group takes the lock.
func needs(o *flow.Summary, group, lock string) *flow.Event {
	done := slices.ContainsFunc(o.Events, func(e flow.Event) bool { return e.Op == libs.Done && !e.Async && class(&e) == group })
	if !done || group == "" || lock == "" {
		return nil
	}
	for i := range o.Events {
		if e := &o.Events[i]; (e.Op == libs.Lock || e.Op == libs.RLock) && !e.Async && !e.Later && class(e) == lock {
			return e
		}
	}
	return nil
}

// startsMore is where the function that starts the goroutines of the group takes the
// lock, when they run what callers give them: that can start one more.
func (j *judge) startsMore(o *flow.Summary, group, lock string) *flow.Event {
	starter, _, literal := strings.Cut(o.Name, "$")
	runs := slices.ContainsFunc(o.Events, func(e flow.Event) bool { return e.Op == libs.Calls && e.On.Root == flow.Param && e.On.Path == "" })
	done := slices.ContainsFunc(o.Events, func(e flow.Event) bool { return e.Op == libs.Done && class(&e) == group })
	from := j.named(starter)
	if !literal || !runs || !done || group == "" || lock == "" || from == nil {
		return nil
	}
	for i := range from.Events {
		if e := &from.Events[i]; e.Op == libs.Lock && !e.Async && len(e.Site) == 1 && class(e) == lock {
			return e
		}
	}
	return nil
}

// sends judges a send under a lock that the receiver takes between two receives.
func (j *judge) sends(s *flow.Summary, e *flow.Event) {
	j.abandoned(s, e)
	if e.On.Class == "" || !j.roomless(e.On.Class) {
		return
	}
	for _, h := range e.Held {
		held := &s.Events[h]
		for _, o := range j.pkg.Own {
			l := handles(o, e.On.Class, class(held))
			if l == nil || held.Op == libs.RLock && l.Op == libs.RLock {
				continue
			}
			name := short(held.On.Class)
			j.report(flow.Found{At: j.at(e), Severity: "high",
				Message: tell.Story("deadlock: a value is sent while "+name+" is held, and the receiver takes it before it receives again",
					"  goroutine A, in "+short(s.Name)+": holds "+name+", and waits for somebody to receive",
					"  goroutine B, in "+short(o.Name)+": has just received, and wants "+name,
					"  each waits for the other, for ever",
					"fix: give back the lock before the send"),
				Related: []flow.Note{{At: innermost(held), Text: name + " was taken here"}, {At: innermost(l), Text: "the receiver takes it here"}},
			})
			return
		}
	}
}

// handles is where a function that receives from the channel in a loop takes the
// lock between two receives.
func handles(o *flow.Summary, channel, lock string) *flow.Event {
	if lock == "" {
		return nil
	}
	for i := range o.Events {
		recv := &o.Events[i]
		if recv.Op != libs.Recv || recv.On.Class != channel || !o.After(i, i) {
			continue
		}
		for k := range o.Events {
			l := &o.Events[k]
			if (l.Op == libs.Lock || l.Op == libs.RLock) && class(l) == lock && o.After(i, k) && o.After(k, i) && !slices.Contains(recv.Held, k) {
				return l
			}
		}
	}
	return nil
}

// roomless tells whether every channel that the package puts into a field has no
// room, so that a send waits for its receiver.
func (j *judge) roomless(field string) bool {
	made := false
	for _, fn := range j.pkg.Funcs {
		full := false
		cfg.Each(fn, func(in ssa.Instruction) {
			st, ok := in.(*ssa.Store)
			if !ok || declared(st.Addr) != field {
				return
			}
			m, ok := st.Val.(*ssa.MakeChan)
			if !ok {
				full = true
				return
			}
			k, ok := m.Size.(*ssa.Const)
			made, full = true, full || !ok || k.Int64() != 0
		})
		if full {
			return false
		}
	}
	return made
}
