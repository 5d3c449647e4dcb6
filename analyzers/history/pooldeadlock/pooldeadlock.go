package pooldeadlock

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker reports pools that wait for themselves.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const (
	name = "pooldeadlock"
	pool = "pool" // the wait event of a lane that waits for a connection
)

// shown is the number of lanes of the story: what they have in common shows in
// two.
const shown = 2

func run(pass *check.Pass) error {
	j := &judge{tracker: lanes.NewTracker(pass.Header), waiting: map[int]time.Duration{}}
	for o, err := range pass.Ops() {
		if err != nil {
			return fmt.Errorf("reading the history: %w", err)
		}
		j.add(o)
	}
	j.endRound()
	for _, f := range j.found {
		pass.Report(f.finding(j.tracker.Schema))
	}
	return nil
}

// judge goes through the rounds.
type judge struct {
	tracker *lanes.Tracker
	waiting map[int]time.Duration // lanes that wait for the pool, and since when
	calls   []*lanes.Call
	loose   []*lanes.Txn // of which nobody knows whose they are
	found   []*starved
}

// starved are the requests of one actor that were seen in that state.
type starved struct {
	actor  string
	calls  []*lanes.Call // of the first round: those that waited
	txns   []*lanes.Txn  // that were open, where they are not in the calls
	held   int           // of them that had a transaction open
	failed int
	rounds int
	since  time.Duration
	until  time.Duration
	last   time.Duration
}

func (j *judge) add(o *history.Op) {
	if o.Scope == history.ScopeNote && o.Text == lanes.Reset {
		j.endRound()
	}
	if o.Scope == history.ScopeWait && o.Text == pool {
		if _, known := j.waiting[o.Process]; !known {
			j.waiting[o.Process] = o.Time
		}
		return
	}
	switch c := j.tracker.Add(o); {
	case c == nil:
	case c.ID == 0:
		j.loose = append(j.loose, c.Txns...)
	default:
		j.calls = append(j.calls, c)
	}
}

// endRound looks at the calls that waited.
func (j *judge) endRound() {
	byActor := map[string]*starved{}
	for _, c := range j.calls {
		since, waited := j.waiting[c.Process]
		if !waited || c.End == nil {
			continue
		}
		s := byActor[c.Actor]
		if s == nil {
			s = &starved{actor: c.Actor, since: since, rounds: 1}
			byActor[c.Actor] = s
		}
		s.take(c, since)
	}
	for _, actor := range slices.Sorted(maps.Keys(byActor)) {
		s := byActor[actor]
		if s.held == 0 {
			s.hold(j.loose)
		}
		if s.held > 0 && s.failed > 0 {
			j.keep(s)
		}
	}
	clear(j.waiting)
	j.calls, j.loose = nil, nil
}

// hold takes in the transactions of many requests at once, of which it is not
// known which belongs to which.
func (s *starved) hold(loose []*lanes.Txn) {
	for _, t := range loose {
		if openAt(t, s.since) {
			s.txns = append(s.txns, t)
			s.held++
		}
	}
}

func (s *starved) take(c *lanes.Call, since time.Duration) {
	s.calls = append(s.calls, c)
	s.since = min(s.since, since)
	s.until = max(s.until, c.Finish())
	s.last = s.until
	if c.End.Outcome != history.Accepted && c.End.Outcome != history.Refused {
		s.failed++
	}
	if slices.ContainsFunc(c.Txns, func(t *lanes.Txn) bool { return openAt(t, since) }) {
		s.held++
	}
}

// openAt reports whether the transaction had begun and not ended.
func openAt(t *lanes.Txn, at time.Duration) bool {
	last := t.Stmts[len(t.Stmts)-1]
	return t.Start() < at && (last.Begin.Time > at || t.State == lanes.Unknown)
}

func (j *judge) keep(s *starved) {
	i := slices.IndexFunc(j.found, func(o *starved) bool { return o.actor == s.actor })
	if i < 0 {
		j.found = append(j.found, s)
		return
	}
	j.found[i].rounds++
	j.found[i].last = s.last
}

func (s *starved) finding(schema *lanes.Schema) report.Finding {
	f := report.Finding{
		Rule: name, Severity: report.High, Count: s.rounds, First: s.since, Last: s.last, Help: "docs/analyzers/pooldeadlock.md",
		Anomaly: "pool deadlock: the pool waits for itself",
		Message: fmt.Sprintf("the pool waits for itself: %s of %s held a connection with an open transaction each, waited for another one, "+
			"and nothing went on for %s; %d of %d ended with an error, and one alone is accepted",
			requests(s.held), s.actor, (s.until - s.since).Round(time.Millisecond), s.failed, len(s.calls)),
		Why: "No lock of the server is waited for: its sessions are idle in their transactions. What each request needs to go on is a " +
			"connection, and those are with requests that need one, too.",
		Fixes: []report.Fix{
			{Kind: report.Order, Title: "Run the second statement on the connection that is held", Note: "pass the transaction to the function that takes its own connection, or call it before BEGIN"},
		},
	}
	txns := s.txns[:min(shown, len(s.txns))]
	for _, c := range s.calls[:min(shown, len(s.calls))] {
		txns = append(txns, c.Txns...)
	}
	if len(txns) > 0 {
		story := lanes.Tell(schema, txns, nil)
		f.Lanes, f.Steps = story.Lanes, story.Steps
	}
	return f
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}
