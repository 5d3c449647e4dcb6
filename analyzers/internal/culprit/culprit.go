// Package culprit looks in a record for the earliest transactions that account
// for something that was wrong in the end: those that wrote the wrong rows, and
// depend on each other in a way that no serial order has.
//
// It is one pass over the events, for any number of quests. It finds the best
// candidate and does not prove that there is no other.
package culprit

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/graph"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/probes/history"
)

// Quest is one thing to account for, and what was found.
type Quest struct {
	Target Target
	// After is when all was well: what ended before is a worse explanation.
	// Until is when it was seen wrong: what came later is none.
	After, Until time.Duration
	Round        int // number of resets before it
	// Calls asks to look at two transactions of a call as one, where nothing else
	// explains what was wrong: most object mappers read on autocommit, and save.
	Calls bool

	// Anomaly is the best explanation, or nil.
	Anomaly *graph.Anomaly
	// Aborted is the first call that the server rolled back for no fault of its
	// own and that nobody started over.
	Aborted *lanes.Txn
	// Writers are the last transactions that wrote the wrong rows.
	Writers []*lanes.Txn
	// Dropped counts calls that could not be looked at, and Cut says that the
	// search was given up before the last pair.
	Dropped int
	Cut     bool

	score score
	marks map[*lanes.Call]int // how well a call fits
	pairs int                 // that were compared
}

// maxPairs bounds the pairs of calls that are compared for one quest. With 200
// lanes on one row a million statements have fifty million; what is not found
// among the first of them is not found by looking longer.
const maxPairs = 400_000

// MaxWriters is the number of Writers that are kept.
const MaxWriters = 64

// score orders candidates: a smaller one is better.
type score struct {
	joined int // 1 for transactions that the application did not make
	match  int // 0 both wrote wrong rows, 1 one did and the other one wrote the table …
	idle   int // 1 when one of the two changed nothing that the other had not
	late   int // 1 ended before all was well
	unsure int
	at     time.Duration
}

func (s score) compare(o score) int {
	return cmp.Or(cmp.Compare(s.joined, o.joined), cmp.Compare(s.match, o.match), cmp.Compare(s.idle, o.idle), cmp.Compare(s.late, o.late), cmp.Compare(s.unsure, o.unsure), cmp.Compare(s.at, o.at))
}

// Search fills in the quests.
func Search(header *history.Header, ops iter.Seq2[*history.Op, error], quests []*Quest) (*lanes.Schema, error) {
	s := search{tracker: lanes.NewTracker(header), quests: quests}
	for _, q := range quests {
		s.until = max(s.until, q.Until)
	}
	for o, err := range ops {
		if err != nil {
			return nil, fmt.Errorf("reading the history: %w", err)
		}
		if c := s.tracker.Add(o); c != nil {
			s.call(c)
		}
		if s.done() || o.Time > s.until && s.settled() {
			break
		}
	}
	for _, c := range s.tracker.Unfinished() {
		s.call(c)
	}
	for _, q := range quests {
		q.Dropped = s.tracker.Dropped
	}
	return s.tracker.Schema, nil
}

// search is one pass.
type search struct {
	tracker *lanes.Tracker
	quests  []*Quest
	until   time.Duration
	looks   int
}

// done reports whether no quest can be answered better.
func (s *search) done() bool {
	for _, q := range s.quests {
		if !q.done() {
			return false
		}
	}
	return true
}

// settled reports whether every call that began before the last quest's Until
// has ended. It is asked now and then, since it looks at every lane.
func (s *search) settled() bool {
	s.looks++
	if s.looks%256 != 0 {
		return false
	}
	for _, c := range s.tracker.Unfinished() {
		if c.Begin <= s.until {
			return false
		}
	}
	return true
}

// call compares an ended call with those that overlapped it.
func (s *search) call(c *lanes.Call) {
	for _, q := range s.quests {
		if c.Start() > q.Until || len(c.Txns) == 0 || c.Txns[0].Round != q.Round {
			continue
		}
		q.alone(c)
		if q.done() {
			continue
		}
		mine := q.mark(c, s.tracker.Recent())
		for _, o := range s.tracker.Recent() {
			if o == c || o.Process == c.Process || len(o.Txns) == 0 || mine == 0 && q.marks[o] == 0 {
				continue
			}
			if lanes.Overlap(o.Start(), o.Finish(), c.Start(), c.Finish()) {
				q.pair(s.tracker.Schema, o, c, mine+q.marks[o])
				q.joined(s.tracker.Schema, o, c, mine+q.marks[o])
			}
		}
	}
}

// mark remembers how well a call fits while it is recent.
func (q *Quest) mark(c *lanes.Call, recent []*lanes.Call) int {
	if q.marks == nil {
		q.marks = map[*lanes.Call]int{}
	}
	if len(q.marks) > 4*len(recent)+1024 {
		kept := make(map[*lanes.Call]int, len(recent))
		for _, o := range recent {
			kept[o] = q.marks[o]
		}
		q.marks = kept
	}
	m := q.Target.match(c)
	if m > 0 {
		q.marks[c] = m
	}
	return m
}

// done reports whether nothing that comes later can be a better explanation.
func (q *Quest) done() bool { return q.Anomaly != nil && q.score == score{at: q.score.at} }

// alone notes what a call says for itself.
func (q *Quest) alone(c *lanes.Call) {
	last := c.Txns[len(c.Txns)-1]
	if q.Aborted == nil && last.State == lanes.Aborted && graph.Aborts(c.End) && q.Target.touched(c) {
		q.Aborted = last
	}
	for _, x := range c.Txns {
		if sent, _ := x.Commit(); x.State != lanes.Committed || sent >= q.Until || !q.Target.named(x) {
			continue
		}
		if q.Writers = append(q.Writers, x); len(q.Writers) > MaxWriters {
			q.Writers = q.Writers[1:]
		}
	}
}

// pair keeps the anomaly of two calls when it is the best so far. match is the
// sum of how well they fit.
func (q *Quest) pair(schema *lanes.Schema, c, d *lanes.Call, match int) {
	for _, t := range c.Txns {
		for _, u := range d.Txns {
			if !lanes.Overlap(t.Start(), t.End(), u.Start(), u.End()) || q.tooLate(t) || q.tooLate(u) || schema.Apart(t, u) {
				continue
			}
			if q.pairs++; q.pairs > maxPairs {
				q.Cut = true
				return
			}
			if a := graph.Between(schema, t, u); a != nil {
				q.offer(a, 4-match)
			}
		}
	}
}

// joinable bounds the transactions of a call of which each two are joined.
const joinable = 12

// joined keeps the anomaly of two calls, each seen as a read and a later write.
func (q *Quest) joined(schema *lanes.Schema, c, d *lanes.Call, match int) {
	if !q.Calls || q.Anomaly != nil && q.score.joined == 0 {
		return
	}
	for _, t := range joins(c) {
		for _, u := range joins(d) {
			if !t.Joined && !u.Joined || !met(t, u) || q.tooLate(t) || q.tooLate(u) {
				continue
			}
			if q.pairs++; q.pairs > maxPairs {
				q.Cut = true
				return
			}
			if a := graph.Between(schema, t, u); a != nil {
				q.offer(a, 4-match)
			}
		}
	}
}

// met reports whether the transactions overlapped. What was read on a replica may
// be out of date though nothing did.
func met(t, u *lanes.Txn) bool {
	behind := func(s lanes.Stmt) bool { return s.OnReplica() }
	return lanes.Overlap(t.Start(), t.End(), u.Start(), u.End()) || slices.ContainsFunc(t.Stmts, behind) || slices.ContainsFunc(u.Stmts, behind)
}

// joins are the transactions of a call, and each two of which the later writes.
func joins(c *lanes.Call) []*lanes.Txn {
	list := slices.Clone(c.Txns)
	if len(c.Txns) > joinable {
		return list
	}
	for i, t := range c.Txns {
		for _, u := range c.Txns[i+1:] {
			one := t.Level == lanes.ReadCommitted || len(t.Stmts) == 1 // each statement has a snapshot of its own
			if one && t.State != lanes.Aborted && !t.Stmts[0].Begin.Stmt.Outside && u.Wrote("") {
				list = append(list, lanes.Join(t, u))
			}
		}
	}
	return list
}

// tooLate reports whether the transaction had no effect yet when the wrong was
// seen.
func (q *Quest) tooLate(t *lanes.Txn) bool {
	sent, _ := t.Commit()
	return sent > q.Until && len(t.Outside) == 0
}

func (q *Quest) offer(a *graph.Anomaly, match int) {
	sc := score{match: match, at: a.Time()}
	if a.Time() < q.After {
		sc.late = 1
	}
	switch {
	case a.Weak:
		sc.unsure = 2
	case !a.Sure:
		sc.unsure = 1
	}
	if a.Reader.Joined || a.Writer.Joined {
		sc.joined = 1
	}
	if a.Kind == graph.ReadSkew {
		sc.match += 4
	}
	if a.Idle() {
		sc.idle = 1
	}
	if q.Anomaly == nil || sc.compare(q.score) < 0 {
		q.Anomaly, q.score = a, sc
	}
}
