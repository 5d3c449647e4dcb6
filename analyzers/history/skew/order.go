package skew

import (
	"fmt"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
)

// meetings is how often the sessions must have followed each other.
const meetings = 20

// order looks for events with an earlier stamp than the one before.
func (j *judgement) order() {
	var first, last *event
	n, met := 0, 0
	var most time.Duration
	for i := 1; i < len(j.r.events); i++ {
		a, b := &j.r.events[i-1], &j.r.events[i]
		if b.n != a.n+1 {
			continue
		}
		if a.session != b.session {
			met++
		}
		if b.stamp >= a.stamp {
			continue
		}
		if first == nil {
			first = b
		}
		last = b
		n++
		most = max(most, time.Duration(a.stamp-b.stamp)*time.Microsecond)
	}
	if first != nil {
		j.add(j.inverted(first, last, n, most))
		return
	}
	if met < meetings {
		j.reason("too few events follow one of the other session, so that the clocks were hardly compared (%d of %d): give more --events", met, meetings)
	}
}

func (j *judgement) inverted(first, last *event, n int, most time.Duration) report.Finding {
	before := j.r.events[0]
	for i := range j.r.events {
		if j.r.events[i].n == first.n-1 {
			before = j.r.events[i]
		}
	}
	f := report.Finding{
		Severity: report.Medium, Claim: claimOrder, Anomaly: "stamps out of order", Count: n, First: first.end, Last: last.end,
		Message: fmt.Sprintf("event %d of %s has an earlier stamp than event %d of %s, by %s: %d of %d events are out of order, by %s at most",
			first.n, first.session, before.n, before.session, brief(time.Duration(before.stamp-first.stamp)*time.Microsecond), n, len(j.r.events), brief(most)),
		Why:   "Both stamped while they held the row, so that the numbers are the order. A stamps by the clock of its machine, B by that of the database; the one that is ahead wins every comparison.",
		Lanes: []report.Lane{{Name: before.session, Detail: clocks[before.session]}},
		Fixes: []report.Fix{
			{Kind: report.Atomic, Title: "Order by a number that is drawn under the lock, and keep the stamp for display", SQL: "ALTER TABLE event ADD COLUMN event_no bigint GENERATED ALWAYS AS IDENTITY", Note: "a number from a sequence is in the order of the commits only where a lock is held from drawing it to COMMIT"},
			{Kind: report.Atomic, Title: "Let one clock make all stamps, that of the database", SQL: "ALTER TABLE event ALTER COLUMN created_at SET DEFAULT clock_timestamp()", Note: "not now(): that is the start of the transaction, from before the lock. Two events of the same microsecond have no order"},
			{Kind: report.Optimistic, Title: "Decide which write is the last by a version, not by a time", SQL: "UPDATE item SET value = $2, version = version + 1 WHERE id = $1 AND version = $3"},
		},
	}
	lane := 0
	if first.session != before.session {
		f.Lanes, lane = append(f.Lanes, report.Lane{Name: first.session, Detail: clocks[first.session]}), 1
	}
	for i, e := range []*event{&before, first} {
		f.Steps = append(f.Steps, report.Step{
			Lane: i * lane, Start: e.start, End: e.end, Text: fmt.Sprintf("writes event %d", e.n),
			Wrote: "stamp " + time.UnixMicro(e.stamp).UTC().Format("15:04:05.000000"), Result: "COMMIT ok",
		})
	}
	return f
}

var clocks = map[string]string{"A": "clock of this machine", "B": "clock of the database"}

// starts is how many events have an earlier now() than the one before: it is
// the start of the transaction.
func (r *record) starts() (n int) {
	for i := 1; i < len(r.events); i++ {
		if r.events[i].now < r.events[i-1].now {
			n++
		}
	}
	return n
}
