package lanes

import (
	"cmp"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/probes/history"
)

// maxRecent bounds the calls that are kept because something older is still
// open. A lane that sleeps for a minute must not fill the memory.
const maxRecent = 1 << 13

// Tracker builds calls out of events. It is used by one goroutine.
type Tracker struct {
	Schema *Schema
	// Dropped counts the calls that were forgotten although a call that
	// overlapped them was still open.
	Dropped int

	level  Level
	plans  map[*history.Stmt]*sqlread.Access
	lanes  map[int]*lane
	recent []*Call // ended, in the order of their ends
	round  int
	ended  int

	replayed time.Duration // when the replica had last caught up
}

// lane is what one process has open.
type lane struct {
	call    *Call
	txns    map[int64]*Txn // almost always one, two with an outside statement
	main    *Txn           // the transaction that outside statements belong to
	pending []pending
}

// pending is a statement that has no answer yet.
type pending struct {
	txn  *Txn
	stmt int
}

// NewTracker returns a Tracker for the history with that header.
func NewTracker(h *history.Header) *Tracker {
	return &Tracker{Schema: NewSchema(h), level: LevelOf(h.Target.Isolation), plans: map[*history.Stmt]*sqlread.Access{}, lanes: map[int]*lane{}}
}

// Add takes the next event and returns the call that ended with it, or nil.
// An ended call is the newest of Recent.
func (t *Tracker) Add(o *history.Op) *Call {
	switch o.Scope {
	case history.ScopeCall:
		return t.call(o)
	case history.ScopeQuery:
		return t.query(o)
	case history.ScopeWait:
		t.wait(o)
	case history.ScopeNote:
		switch o.Text {
		case Reset:
			t.round++
		case replay:
			t.replayed = o.Time
		}
	}
	return nil
}

// Reset is the text of the note that marks a new round: the tables were filled
// again and no transaction was open.
const Reset = "reset"

// replay is the text of the note that a replica has caught up.
const replay = "replay"

// Recent are the ended calls that overlapped something which is, or was until
// the last Add, still open; oldest end first.
func (t *Tracker) Recent() []*Call { return t.recent }

// Unfinished returns the calls that have not ended, for the end of a history.
func (t *Tracker) Unfinished() []*Call {
	var calls []*Call
	for _, l := range t.lanes {
		if l.call != nil && len(l.call.Txns) > 0 {
			calls = append(calls, l.call)
		}
	}
	slices.SortFunc(calls, func(a, b *Call) int { return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.Process, b.Process)) })
	return calls
}

func (t *Tracker) lane(process int) *lane {
	l := t.lanes[process]
	if l == nil {
		l = &lane{txns: map[int64]*Txn{}}
		t.lanes[process] = l
	}
	return l
}

func (t *Tracker) call(o *history.Op) *Call {
	l := t.lane(o.Process)
	if o.Kind == history.Invoke {
		l.call = &Call{ID: o.Call, Actor: o.Actor, Process: o.Process, Begin: o.Time}
		l.pending = l.pending[:0]
		return nil
	}
	c := l.call
	l.call = nil
	if c == nil || c.ID != o.Call {
		return nil
	}
	c.End = o
	t.giveUp(l)
	return t.finish(c)
}

// giveUp ends what a call left open: its connection is gone.
func (t *Tracker) giveUp(l *lane) {
	for id, x := range l.txns {
		if x.State == Open {
			x.State = Unknown
		}
		delete(l.txns, id)
	}
	l.main, l.pending = nil, l.pending[:0]
}

func (t *Tracker) finish(c *Call) *Call {
	t.recent = append(t.recent, c)
	t.ended++
	if t.ended%64 == 0 || len(t.recent) > maxRecent {
		t.prune()
	}
	return c
}

// prune forgets the calls that ended before everything that is open began.
func (t *Tracker) prune() {
	oldest := t.recent[len(t.recent)-1].Start()
	for _, l := range t.lanes {
		if l.call != nil {
			oldest = min(oldest, l.call.Begin)
		}
	}
	n := 0
	for n < len(t.recent) && t.recent[n].Finish() < oldest {
		n++
	}
	if over := len(t.recent) - maxRecent; over > n {
		t.Dropped += over - n
		n = over
	}
	t.recent = slices.Delete(t.recent, 0, n)
}

func (t *Tracker) query(o *history.Op) *Call {
	l := t.lane(o.Process)
	if o.Kind == history.Invoke {
		t.invoke(l, o)
		return nil
	}
	i := slices.IndexFunc(l.pending, func(p pending) bool {
		return p.txn.Stmts[p.stmt].Begin.Stmt == o.Stmt && (o.Txn == 0 || p.txn.ID == o.Txn)
	})
	if i < 0 {
		return nil
	}
	p := l.pending[i]
	l.pending = slices.Delete(l.pending, i, i+1)
	p.txn.Stmts[p.stmt].End = o
	return t.answer(l, p)
}

func (t *Tracker) invoke(l *lane, o *history.Op) {
	if o.Stmt == nil {
		return
	}
	x := l.txns[o.Txn]
	if x == nil {
		x = t.begin(l, o)
	}
	a := t.Access(o.Stmt)
	if a.Level != "" && len(x.Stmts) < 3 {
		x.Level = LevelOf(a.Level)
	}
	l.pending = append(l.pending, pending{x, len(x.Stmts)})
	s := Stmt{Access: a, Begin: o}
	if s.OnReplica() {
		s.Replayed = t.replayed
	}
	x.Stmts = append(x.Stmts, s)
}

func (t *Tracker) begin(l *lane, o *history.Op) *Txn {
	if l.call == nil || l.call.ID != o.Call {
		l.call = &Call{ID: o.Call, Process: o.Process, Begin: o.Time}
	}
	x := &Txn{ID: o.Txn, Process: o.Process, Call: l.call, Level: t.level, Round: t.round, Stmts: make([]Stmt, 0, 6)}
	l.txns[o.Txn] = x
	x.Try = nextTry(l.call)
	l.call.Txns = append(l.call.Txns, x)
	switch {
	case o.Stmt.Outside && l.main != nil:
		l.main.Outside = append(l.main.Outside, x)
	case !o.Stmt.Outside && o.Stmt.On == "":
		l.main = x
	}
	return x
}

// nextTry is the number of the try that a transaction of the call belongs to: a
// new one begins when the last one was rolled back.
func nextTry(c *Call) int {
	for _, t := range slices.Backward(c.Txns) {
		switch {
		case t.Stmts[0].Begin.Stmt.Outside:
		case t.State == Aborted:
			return t.Try + 1
		default:
			return t.Try
		}
	}
	return 1
}

// answer looks whether the transaction ended with this statement.
func (t *Tracker) answer(l *lane, p pending) *Call {
	x, s := p.txn, &p.txn.Stmts[p.stmt]
	switch {
	case s.End.Kind == history.Info:
		x.State = Unknown
	case t.pendingOf(l, x) || !ended(s):
		return nil
	case s.Access.Control == sqlread.Rollback || s.End.Tag == "ROLLBACK" || s.Failed():
		x.State = Aborted
	default:
		x.State = Committed
	}
	delete(l.txns, x.ID)
	if l.main == x {
		l.main = nil
	}
	if c := l.call; c != nil && c.ID == 0 && len(l.txns) == 0 {
		l.call = nil
		return t.finish(c)
	}
	return nil
}

func (t *Tracker) pendingOf(l *lane, x *Txn) bool {
	return slices.ContainsFunc(l.pending, func(p pending) bool { return p.txn == x })
}

// ended reports whether a statement left no transaction open. A history
// without the server's word for it is read by the statement.
func ended(s *Stmt) bool {
	if s.End.Status != 0 {
		return s.End.Ended()
	}
	return s.Access.Control == sqlread.Commit || s.Access.Control == sqlread.Rollback
}

// Access is what a statement does, with the columns of an INSERT filled in
// from the schema.
func (t *Tracker) Access(s *history.Stmt) *sqlread.Access {
	a := t.plans[s]
	if a == nil {
		a = t.Schema.Read(s.SQL)
		t.plans[s] = a
	}
	return a
}

func (t *Tracker) wait(o *history.Op) {
	l := t.lane(o.Process)
	if n := len(l.pending); n > 0 {
		p := l.pending[n-1]
		p.txn.Stmts[p.stmt].Waits = append(p.txn.Stmts[p.stmt].Waits, o)
	}
}

// Overlap reports whether two spans of time have a moment in common.
func Overlap(aStart, aEnd, bStart, bEnd time.Duration) bool {
	return aStart < bEnd && bStart < aEnd
}
