package lease

import (
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// Told is something that an owner did by itself, and of which ccheck was told:
// at After or later, and before it is recorded.
type Told struct {
	Call    string // as of Lane: acquire, renew, release, fire
	Outcome history.Outcome
	After   time.Time
	Held    Held
	Tick    int64 // of fire
	// Asked is, of fire, when the owner asked for leave to do it, which it had at
	// After; zero when it did not ask.
	Asked time.Time
}

// Tell records it as a call that begins and ends now. One goroutine does so for
// each lane.
func (t *Tape) Tell(lane int, d Told) error {
	at := func(name string, when time.Time) history.Var {
		return number(name, int64(max(t.Elapsed()-time.Since(when), 0)))
	}
	vars := append([]history.Var{at("after", d.After)}, d.Held.vars()...)
	switch {
	case d.Call == "fire":
		vars = append(vars, number("tick", d.Tick))
		if !d.Asked.IsZero() {
			vars = append(vars, at("asked", d.Asked))
		}
	case d.Held.TTL != 0:
		vars = append(vars, number("ttl", d.Held.TTL.Milliseconds()))
	}
	r := t.Recorder(lane)
	r.BeginCall(d.Call)
	r.EndCall(d.Outcome, 1, vars, nil)
	t.count(d.Outcome)
	return r.Flush()
}
