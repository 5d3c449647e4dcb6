package contention

import (
	"fmt"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker counts what proves contention.
var Checker = &check.Checker{Name: "contention", Doc: Doc, Run: run}

// What counts as enough. A hundred meetings on hot rows is what a naive wallet
// reaches in the first second of a default run; with fewer, a race whose window
// is a tenth of the transaction is as likely missed as met.
const (
	enoughPairs  = 100
	enoughRounds = 50
)

func run(pass *check.Pass) error {
	m := newMeter(pass.Header)
	for o, err := range pass.Ops() {
		if err != nil {
			return fmt.Errorf("reading the history: %w", err)
		}
		m.add(o)
	}
	m.endRound()
	e := m.evidence()
	rounds := pass.Header.Param("mode") == "rounds"
	e.Enough, e.Missing = judge(&e, rounds, m.metRounds, m.allRounds)
	if e.Enough {
		e.Missing = m.alone(rounds)
		e.Enough = e.Missing == ""
	}
	pass.Evidence(e)
	if !e.Enough {
		pass.Unknown(e.Missing)
	}
	return nil
}

// judge says whether the run proves contention, and what it lacks.
func judge(e *report.Evidence, rounds bool, met, all int64) (enough bool, missing string) {
	switch {
	case e.Calls == 0:
		return false, "nothing ran: the history holds no call"
	case rounds && met >= enoughRounds, !rounds && e.Overlaps >= enoughPairs:
		return true, ""
	case rounds:
		return false, fmt.Sprintf("too little contention: lanes met on the same row in %d of %d rounds, %d are needed; "+
			"let it run longer, let more clients start together, or use ccheck explore, which plays every interleaving", met, all, enoughRounds)
	}
	return false, fmt.Sprintf("too little contention: %s overlapped on the same row with a write, %d are needed; "+
		"use more clients, fewer or hotter rows, --think 0-5ms, a longer run, or ccheck explore, which plays every interleaving",
		pairs(e.Overlaps), enoughPairs)
}

func pairs(n int64) string {
	if n == 1 {
		return "1 pair of transactions"
	}
	return fmt.Sprintf("%d pairs of transactions", n)
}

// conflicts are the answers by which PostgreSQL says that two transactions met
// (manual, appendix A).
func conflict(sqlstate string) bool {
	switch sqlstate {
	case "23505", "23P01", "55P03":
		return true
	}
	return strings.HasPrefix(sqlstate, "40")
}

// refused reports whether the server has ended a transaction because of another
// one that ran beside it: a serialization failure or a deadlock. A duplicate key
// may be of a row that was there for long.
func refused(sqlstate string) bool { return sqlstate == "40001" || sqlstate == "40P01" }

// meter is the state of the count; it is of fixed size but for the lanes.
type meter struct {
	e       report.Evidence
	schema  *lanes.Schema
	plans   map[*history.Stmt]*plan
	asked   map[string][]way // by table, in the order in which they were met
	open    map[int64]*open
	pending map[int][]invoked
	slots   []slot
	partner []int64 // transactions that the one at hand has been counted with
	gap     time.Duration

	actors map[string]*actor
	lanes  map[int]*actor // by process: whose call runs there

	metRounds, allRounds int64
	met                  bool
	calls                int64
}

func newMeter(h *history.Header) *meter {
	return &meter{
		schema: lanes.NewSchema(h), plans: map[*history.Stmt]*plan{}, asked: map[string][]way{}, open: map[int64]*open{},
		pending: map[int][]invoked{}, slots: make([]slot, slotCount), actors: map[string]*actor{}, lanes: map[int]*actor{},
	}
}

func (m *meter) evidence() report.Evidence {
	m.e.SmallestGap = m.gap
	return m.e
}

func (m *meter) add(o *history.Op) {
	switch o.Scope {
	case history.ScopeCall:
		m.call(o)
	case history.ScopeQuery:
		m.query(o)
	case history.ScopeCheck:
		m.e.Checks++
	case history.ScopeWait:
		m.wait(o)
	case history.ScopeNote:
		if o.Text == lanes.Reset {
			m.endRound()
		}
	}
}

// wait counts a lane that was seen waiting for a lock. In rounds, where all begin
// at one moment, it has met the lane that holds it, whatever their statements say;
// elsewhere a look every now and then counts the same wait again and again.
func (m *meter) wait(o *history.Op) {
	switch o.Text {
	case poolWait, processWait:
		return // for something of the application's own
	}
	m.e.LockWaits++
	if o.Text == extendWait {
		return // for a place to put a row in
	}
	m.met = true
	m.lanes[o.Process].sees()
}

// The texts of waits that are for no other transaction: the probes' own, and one
// of pg_stat_activity.wait_event (manual, table 28.10).
const (
	poolWait    = "pool"
	processWait = "process"
	extendWait  = "extend"
)

func (m *meter) call(o *history.Op) {
	if o.Kind == history.Invoke {
		if m.actors[o.Actor] == nil {
			m.actors[o.Actor] = &actor{}
		}
		m.lanes[o.Process] = m.actors[o.Actor]
		return
	}
	delete(m.lanes, o.Process)
	m.e.Calls++
	m.calls++
	m.e.Tries += int64(max(o.Tries, 1))
}

// endRound closes a round: its transactions meet those of no other round.
func (m *meter) endRound() {
	if m.calls > 0 {
		m.allRounds++
	}
	if m.met {
		m.metRounds++
	}
	for _, a := range m.actors {
		a.endRound()
	}
	m.met, m.calls = false, 0
}
