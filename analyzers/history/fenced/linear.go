package fenced

import (
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/ccheck/ccheck/probes/history"
)

// limit bounds the search. Time-outs are unknown, never clean.
const limit = 30 * time.Second

// event is a step of the lock: a call that was accepted or may have been, or the
// end of a lease.
type event struct {
	what      string // acquire, renew, release, expire
	grant     int64  // negative for one that nobody was told of
	extension int    // which extension expires: 0 is the acquisition
	maybe     bool   // whether it happened at all is not known
}

// state is who holds the lock, 0 for nobody, and by which extension.
type state struct {
	grant     int64
	extension int
}

// model is the lock. Refusals are no steps: one costs nobody any data, and is
// always allowed. The end of a lease may happen from its time to live on, or
// not at all.
var model = (&porcupine.NondeterministicModel{
	Init:  func() []any { return []any{state{}} },
	Step:  func(s, in, _ any) []any { return step(s.(state), in.(event)) },
	Equal: func(a, b any) bool { return a == b },
}).ToModel()

func step(s state, e event) []any {
	next, legal := s, true
	switch e.what {
	case "acquire":
		next, legal = state{grant: e.grant}, s.grant == 0
	case "renew":
		next, legal = state{e.grant, e.extension}, s.grant == e.grant
	case "release":
		next, legal = state{}, s.grant == e.grant
	case "expire":
		if s == (state{e.grant, e.extension}) {
			next = state{}
		}
	}
	var all []any
	if legal {
		all = append(all, next)
	}
	if e.maybe && (!legal || next != s) {
		all = append(all, s)
	}
	return all
}

// linearizable asks porcupine about the lock of each name.
func (r *record) linearizable() porcupine.CheckResult {
	worst, calls := porcupine.Ok, map[string][]*call{}
	for _, c := range r.calls {
		calls[c.name] = append(calls[c.name], c)
	}
	for _, name := range r.names {
		switch porcupine.CheckOperationsTimeout(model, r.events(name, calls[name]), limit) {
		case porcupine.Illegal:
			return porcupine.Illegal
		case porcupine.Unknown:
			worst = porcupine.Unknown
		}
	}
	return worst
}

// events are the steps of one lock. A step that may happen until the end of the
// history, because nobody knows, ends behind everything.
func (r *record) events(name string, calls []*call) []porcupine.Operation {
	const never = int64(1) << 62
	var all []porcupine.Operation
	add := func(lane int, from, to int64, e event) {
		all = append(all, porcupine.Operation{ClientId: lane, Input: e, Call: from, Return: to})
	}
	unknown := int64(0)
	for _, c := range calls {
		if c.outcome == history.Refused || c.what == "write" || c.what == "read" {
			continue
		}
		e, to := event{what: c.what, grant: c.grant}, int64(c.end)
		if !c.ok() {
			e.maybe, to = true, never
		}
		switch {
		case c.what == "acquire" && !c.ok():
			unknown--
			e.grant = unknown
			add(c.lane, int64(c.start+c.ttl), never, event{what: "expire", grant: e.grant})
		case c.what == "fire", c.what == "renew" && r.byNumber[c.grant] != nil && r.byNumber[c.grant].session():
			continue // asks for the session and not for the lock
		case c.what == "renew" && r.byNumber[c.grant] != nil:
			e.extension = slices.Index(r.byNumber[c.grant].renewals, c) + 1
			if !c.ok() {
				continue // may have made the lease longer; without it more is allowed
			}
		}
		add(c.lane, int64(c.start), to, e)
	}
	for _, g := range r.byName[name] {
		g.ends(func(at time.Duration, extension int) {
			add(g.lane, int64(at), never, event{what: "expire", grant: g.grant, extension: extension})
		})
	}
	return all
}

// ends calls add for each extension that can have run out: not one that was
// renewed or given back before.
func (g *grant) ends(add func(at time.Duration, extension int)) {
	if g.session() {
		if g.lost > 0 {
			for i := range len(g.renewals) + 1 {
				add(g.lost, i)
			}
		}
		return
	}
	for i, c := range append([]*call{g.call}, g.renewals...) {
		at := c.start + g.ttl
		renewed := i < len(g.renewals) && g.renewals[i].end < at
		released := slices.ContainsFunc(g.releases, func(c *call) bool { return c.ok() && c.end < at })
		if !renewed && !released {
			add(at, i)
		}
	}
}
