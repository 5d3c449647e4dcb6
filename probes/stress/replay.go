package stress

import (
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/scenario"
)

// gateMark is the note in a history that the start gate opened.
const gateMark = "start"

// atGate reports whether the clock of the run starts at the event: at the mark,
// or at the first call of a history that has none.
func atGate(o *history.Op) bool {
	return o.Scope == history.ScopeCall || o.Scope == history.ScopeNote && o.Text == gateMark
}

// Gate is when the start gate of a recorded run opened, on the clock of its
// history; 0 when it never did. Snapshots count from there.
func Gate(f *history.File) time.Duration {
	for o, err := range f.Ops() {
		if err != nil {
			break
		}
		if atGate(o) {
			return o.Time
		}
	}
	return 0
}

// Replay counts a recorded history as a run counts while it goes on, so that a
// stored run can be shown on the same screens. An error leaves what was
// counted before it.
func Replay(f *history.File) (Snapshot, error) {
	r := newReplay(f.Header)
	var err error
	for o, opErr := range f.Ops() {
		if opErr != nil {
			err = opErr
			break
		}
		r.take(o)
	}
	r.m.tick(time.Time{}.Add(r.now - r.first))
	s := r.m.snapshot("done")
	s.Elapsed, s.Whole = r.now-r.first, r.whole
	s.Claims, s.Violations, s.Checks = r.claims, r.violations, r.looks()
	return s, err
}

type replay struct {
	m          *meter
	actors     map[string]int
	index      map[string]int // of claims
	claims     []ClaimState
	violations []Violation
	began      bool
	first, now time.Duration
	ticked     time.Duration
	open       int // calls that have begun and not ended
	whole      bool
}

func newReplay(h *history.Header) *replay {
	sc := &scenario.Scenario{}
	r := &replay{actors: map[string]int{}, index: map[string]int{}}
	for i, a := range h.Actors {
		sc.Actors = append(sc.Actors, scenario.Actor{Name: a.Name})
		r.actors[a.Name] = i
	}
	for _, c := range h.Claims {
		if c.Kind == history.Invariant {
			r.index[c.Name] = len(r.claims)
			r.claims = append(r.claims, ClaimState{Name: c.Name, State: "waiting"})
		}
	}
	duration, _ := time.ParseDuration(h.Param("duration"))
	r.m = newMeter(sc, duration)
	return r
}

func (r *replay) take(o *history.Op) {
	r.last(o)
	if !r.began && atGate(o) {
		r.began, r.first = true, o.Time
		r.m.begin(time.Time{})
	}
	if !r.began {
		return
	}
	r.now = max(r.now, o.Time)
	r.tick()
	switch {
	case o.Scope == history.ScopeCall && o.Kind != history.Invoke:
		if i, known := r.actors[o.Actor]; known {
			r.m.ended(i, o.Outcome, o.Tries, o.Time-o.Start)
		}
	case o.Scope == history.ScopeQuery && o.Kind == history.Fail:
		r.m.failed(o.SQLState)
	case o.Scope == history.ScopeWait:
		r.m.waits.Add(1)
		r.m.markAt("lock wait", r.now-r.first)
	case o.Scope == history.ScopeNote && o.Text == "reset":
		r.m.rounds.Add(1)
	case o.Scope == history.ScopeCheck:
		r.check(o)
	}
}

// tick closes the slots of the series that lie behind: what was counted belongs
// before the boundary.
func (r *replay) tick() {
	slot := r.m.slot
	if n := (r.now - r.first) / slot; n > r.ticked/slot {
		r.m.tick(time.Time{}.Add(n*slot - 1))
		r.ticked = n * slot
	}
}

// last keeps whether the history may end here: a run that comes to its end has
// an end for each call, and then looks at the claims and the tables.
func (r *replay) last(o *history.Op) {
	switch {
	case o.Scope == history.ScopeCall && o.Kind == history.Invoke:
		r.open++
	case o.Scope == history.ScopeCall:
		r.open--
	}
	r.whole = r.open == 0 && o.Process == history.Checker
}

func (r *replay) check(o *history.Op) {
	i, known := r.index[o.Text]
	if !known {
		return
	}
	at := o.Time - r.first
	if r.claims[i].note(o, at) {
		r.m.markAt("violation", at)
		if len(r.violations) < keptViolations {
			r.violations = append(r.violations, Violation{at, o.Text, lab.Words(o.Columns, o.Rows[0])})
		}
	}
}

// looks is the number of snapshots that were looked at: the most of any claim.
func (r *replay) looks() int64 {
	n := 0
	for _, c := range r.claims {
		n = max(n, c.Checks)
	}
	return int64(n)
}
