// Package lanes turns the events of a history into what judges talk about:
// statements with their answers, transactions with their end, calls with their
// tries, and the story of a few of them as lanes.
//
// It is one pass over the events with bounded memory: what is open, and what
// ended while something that is still open ran. It draws no conclusion; package
// graph does.
package lanes

import (
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/probes/history"
)

// State is how a transaction ended.
type State uint8

// The states. Unknown: the connection was lost, or the history ends before the
// answer came.
const (
	Open State = iota
	Committed
	Aborted
	Unknown
)

// Level is an isolation level.
type Level uint8

// The levels that PostgreSQL has.
const (
	ReadCommitted Level = iota
	RepeatableRead
	Serializable
)

func (l Level) String() string {
	return [...]string{"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}[l]
}

// LevelOf reads the name of a level, long or short; an unknown one is READ
// COMMITTED, as in a fresh server.
func LevelOf(name string) Level {
	name = strings.ToLower(name)
	switch {
	case strings.Contains(name, "serial"), name == "ser":
		return Serializable
	case strings.Contains(name, "repeat"), name == "rr":
		return RepeatableRead
	}
	return ReadCommitted
}

// Stmt is one statement that ran.
type Stmt struct {
	Access *sqlread.Access
	Begin  *history.Op   // the invoke
	End    *history.Op   // the answer, nil when none came
	Waits  []*history.Op // samples in which it waited for a lock
	// Replayed is when the replica that it ran on had last caught up; 0 when that
	// is not known.
	Replayed time.Duration
}

// OnReplica reports whether the statement ran on a replica.
func (s *Stmt) OnReplica() bool { return s.Begin.Stmt.On != "" }

// Txn is one attempt of a transaction.
type Txn struct {
	ID      int64
	Process int
	Call    *Call
	Try     int // from 1
	Level   Level
	State   State
	Stmts   []Stmt
	// Outside are transactions that the call ran on another connection while
	// this one was open: their effect stays when this one is rolled back.
	Outside []*Txn
	Round   int // number of resets before it
	// Joined says that it is two of a call, put together by Join.
	Joined bool

	touched []touch // what Apart needs, once it was asked
}

// Join puts two transactions of one call together, as if the application had
// made one of them at READ COMMITTED: what it decided in the second it had read
// in the first.
func Join(a, b *Txn) *Txn {
	return &Txn{
		ID: b.ID, Process: b.Process, Call: b.Call, Try: 1, State: b.State, Stmts: slices.Concat(a.Stmts, b.Stmts),
		Outside: slices.Concat(a.Outside, b.Outside), Round: b.Round, Joined: true,
	}
}

// Start is the time at which the first statement was sent.
func (t *Txn) Start() time.Duration { return t.Stmts[0].Begin.Time }

// First is the position in the history of the first statement that a story
// tells: BEGIN does nothing yet.
func (t *Txn) First() int64 {
	for i := range t.Stmts {
		if t.Stmts[i].Access.Control != sqlread.Begin {
			return t.Stmts[i].Begin.Index
		}
	}
	return t.Stmts[0].Begin.Index
}

// End is the time at which the last answer came.
func (t *Txn) End() time.Duration { return t.Stmts[len(t.Stmts)-1].Finish() }

// Commit returns when the statement that ended the transaction was sent and
// when its answer came. The commit happened between them.
func (t *Txn) Commit() (sent, answered time.Duration) {
	last := &t.Stmts[len(t.Stmts)-1]
	return last.Begin.Time, last.Finish()
}

// Snapshot returns between which times the snapshot was taken that statement i
// reads from.
func (t *Txn) Snapshot(i int) (from, to time.Duration) {
	s := &t.Stmts[t.SnapshotOf(i)]
	switch {
	case s.Replayed > 0:
		return s.Replayed, s.Replayed
	case s.OnReplica():
		return 0, s.Finish()
	}
	return s.Begin.Time, s.Finish()
}

// SnapshotOf returns the statement that took the snapshot which statement i
// reads from: at READ COMMITTED each takes its own, above it the first one of
// the transaction takes it for all (manual, 13.2), also one that reads no table;
// LOCK TABLE alone takes none.
func (t *Txn) SnapshotOf(i int) int {
	if t.Level == ReadCommitted {
		return i
	}
	for n := range t.Stmts[:i] {
		if s := &t.Stmts[n]; s.Access.Control == sqlread.None && !strings.HasPrefix(strings.ToLower(s.Begin.Stmt.SQL), "lock") {
			return n
		}
	}
	return i
}

// Call is one call of an actor with all of its transactions.
type Call struct {
	ID      int64 // 0 for a transaction outside of any call
	Actor   string
	Process int
	Begin   time.Duration
	End     *history.Op // nil when the call did not end
	Txns    []*Txn
}

// Start is the time at which the call began.
func (c *Call) Start() time.Duration { return c.Begin }

// Finish is the time at which the call ended, or the last answer of one that
// did not.
func (c *Call) Finish() time.Duration {
	if c.End != nil {
		return c.End.Time
	}
	end := c.Begin
	for _, t := range c.Txns {
		end = max(end, t.End())
	}
	return end
}

// Finish is the time of the answer; that of the invoke when none came.
func (s *Stmt) Finish() time.Duration {
	if s.End == nil {
		return s.Begin.Time
	}
	return s.End.Time
}

// Arg is the sqlread.Args of the statement.
func (s *Stmt) Arg(n int) (string, bool) {
	if n < 1 || n > len(s.Begin.Args) || s.Begin.Args[n-1].Null {
		return "", false
	}
	return s.Begin.Args[n-1].Text, true
}

// Failed reports whether the server answered with an error.
func (s *Stmt) Failed() bool { return s.End != nil && s.End.Kind == history.Fail }

// Effective reports whether access i can have changed or locked a row: not
// after an error, and not when the answer says that there was none.
func (s *Stmt) Effective(i int) bool {
	if s.End == nil || s.End.Kind == history.Info {
		return true
	}
	if s.Failed() {
		return false
	}
	t := &s.Access.Tables[i]
	if t.Sub {
		// Only the outer command is counted; an insert that the unique index
		// stopped shows in the rows that do not come back.
		return t.OnConflict != "nothing" || len(s.End.Rows) > 0 || s.End.Affected > 0
	}
	return !t.Kind.Writes() || s.End.Affected > 0
}

// Wrote reports whether the transaction changed rows of a table, or any when
// name is "".
func (t *Txn) Wrote(name string) bool {
	for n := range t.Stmts {
		s := &t.Stmts[n]
		for i := range s.Access.Tables {
			if a := &s.Access.Tables[i]; a.Kind.Writes() && (name == "" || a.Name == name) && s.Effective(i) {
				return true
			}
		}
	}
	return false
}
