package stress

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

// checker looks at the invariants, all of them in one consistent snapshot, on
// a connection of its own.
type checker struct {
	r    *run
	conn *pg.Conn
	rec  *history.Recorder

	mu         sync.Mutex
	claims     []ClaimState
	violations []Violation
	looks      int64
}

// keptViolations bounds the list of violations; all of them are in the history.
const keptViolations = 200

func (r *run) newChecker(conn *pg.Conn) (*checker, error) {
	c := &checker{r: r, conn: conn, rec: r.w.Recorder(history.Checker)}
	for _, inv := range r.sc.Invariants {
		state := ClaimState{Name: inv.Name, State: "waiting", Note: "snapshots while running, and at the end"}
		if inv.When == scenario.End {
			state.Note = "at the end, with the counts of answers"
		}
		c.claims = append(c.claims, state)
	}
	return c, nil
}

// begin is the transaction in which all invariants see one state. Beside
// serializable writers only a deferrable serializable reader is sure to see a
// state that some serial order gives (PostgreSQL manual, SET TRANSACTION); a
// repeatable read snapshot may show the read-only anomaly.
func (c *checker) begin() string {
	if c.r.Isolation == scenario.Serializable {
		return "begin isolation level serializable, read only, deferrable"
	}
	return "begin isolation level repeatable read, read only"
}

// first evaluates every invariant before the gate opens: one that errors or
// is already broken is a mistake in the scenario.
func (c *checker) first() error {
	for _, inv := range c.r.sc.Invariants {
		sql, err := c.text(inv)
		if err != nil {
			return err
		}
		res, err := c.conn.Ask(sql)
		if err != nil {
			return &SetupError{Where: lab.At(inv.SQL, err), What: "invariant " + quote(inv.Name), Err: err}
		}
		if len(res.Rows) > 0 && c.holdsBefore(inv) {
			return &SetupError{
				Where: inv.Where, What: "invariant " + quote(inv.Name),
				Err:  fmt.Errorf("broken before any actor ran: it returns %s", lab.Words(res.Columns, res.Rows[0])),
				Hint: "mend the setup or the query: each row that it returns is a violation; `when: end` is for what holds only afterwards",
			}
		}
	}
	return nil
}

// holdsBefore reports whether the invariant is to hold before any actor ran. In
// rounds all of them speak of what a round leaves.
func (c *checker) holdsBefore(inv scenario.Invariant) bool {
	return inv.When != scenario.End && c.r.sc.Load.Mode != scenario.Rounds
}

// text is the query of an invariant with the parameters and counters in place.
func (c *checker) text(inv scenario.Invariant) (string, error) {
	sql, err := scenario.SQL(inv.SQL.Text, c.r.sc.Params, c.r.sc.Counters(c.r.meter.counts()))
	if err != nil {
		return "", &SetupError{Where: inv.SQL.Where, What: "invariant " + quote(inv.Name), Err: err}
	}
	return sql, nil
}

// loop looks again and again until the lanes have ended. It rests ten times as
// long as it worked, so that it takes a small part of the server at most.
func (c *checker) loop(done <-chan struct{}) {
	rest := min(100*time.Millisecond, c.r.CheckEvery)
	for {
		t := time.NewTimer(rest)
		select {
		case <-done:
			t.Stop()
			return
		case <-t.C:
		}
		began := time.Now()
		if err := c.look(scenario.Running); err != nil {
			if !lab.IsLost(err) {
				c.r.fail(err)
			}
			return
		}
		rest = max(c.r.CheckEvery, 10*time.Since(began))
	}
}

// last looks at everything when the lanes have stopped.
func (c *checker) last() error {
	err := c.look(scenario.Running)
	if err == nil {
		err = c.look(scenario.End)
	}
	return err
}

// look evaluates the invariants of that time. An error of a query is recorded,
// not returned: what comes back ends the run.
func (c *checker) look(when scenario.When) error {
	if _, err := c.conn.Ask(c.begin()); err != nil {
		return c.broken(err)
	}
	for i, inv := range c.r.sc.Invariants {
		if inv.When != when {
			continue
		}
		if err := c.one(i, inv); err != nil {
			return err
		}
	}
	if _, err := c.conn.Ask("rollback"); err != nil {
		return c.broken(err)
	}
	c.mu.Lock()
	c.looks++
	c.mu.Unlock()
	return c.rec.Flush()
}

// broken passes on a lost connection; anything else the server says here, such
// as a time-out while it waits for a safe snapshot, costs this look only.
func (c *checker) broken(err error) error {
	if lab.IsLost(err) {
		return err
	}
	_, err = c.conn.Ask("rollback")
	if lab.IsLost(err) {
		return err
	}
	return nil
}

func (c *checker) one(i int, inv scenario.Invariant) error {
	sql, err := c.text(inv)
	if err != nil {
		return err
	}
	res, err := c.conn.Ask("savepoint ccheck; " + sql)
	op := history.Op{Scope: history.ScopeCheck, Kind: history.OK, Text: inv.Name}
	var server *pg.Error
	switch {
	case errors.As(err, &server):
		op.Kind, op.SQLState, op.Error = history.Fail, server.Code, server.Message
		if _, err := c.conn.Ask("rollback to savepoint ccheck"); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		kept := min(len(res.Rows), history.MaxRows)
		op.Columns, op.Rows, op.More = res.Columns, res.Rows[:kept], len(res.Rows)-kept
	}
	c.rec.Record(&op)
	c.note(i, &op)
	return nil
}

// note keeps the state for the person who watches.
func (c *checker) note(i int, op *history.Op) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := op.Time - c.r.begunAt
	if c.claims[i].note(op, at) {
		c.r.meter.markAt("violation", at)
		if len(c.violations) < keptViolations {
			c.violations = append(c.violations, Violation{at, op.Text, lab.Words(op.Columns, op.Rows[0])})
		}
	}
}

// note takes in one look at the claim, and reports whether it was broken.
func (s *ClaimState) note(op *history.Op, at time.Duration) (bad bool) {
	s.Checks++
	switch {
	case op.Kind == history.Fail:
		s.State, s.Note = "error", op.Error
	case len(op.Rows) > 0:
		if s.Bad == 0 {
			s.FirstBad = at
		}
		s.State = "bad"
		s.Bad++
		return true
	case s.State == "waiting":
		s.State = "ok"
	}
	return false
}

func (c *checker) state() ([]ClaimState, []Violation, int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]ClaimState(nil), c.claims...), c.violations[:len(c.violations):len(c.violations)], c.looks
}

func quote(s string) string { return `"` + s + `"` }
