package explore

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
	"github.com/ccheck/ccheck/probes/pg"
)

var _ script.DB = (*Session)(nil)

// Session is a connection of a lane behind the gate. Each statement is a step,
// except that BEGIN is sent together with the statement after it, and that a
// ROLLBACK belongs to the step before it: neither does anything that another
// lane could see, as long as none looks at locks without waiting for them. A
// statement on autocommit that writes is two steps, since others run between
// its snapshot and its commit.
type Session struct {
	seat  *Seat
	conn  *pg.Conn
	stop  func() bool
	lasts func(sql string) bool // on autocommit it is two steps; nil for none
	parts parts

	standby  bool     // it is on the replica
	begin    *pg.Stmt // held back until the next statement
	txn      int64
	pipeline []queued
	piped    bool
}

// queued is a statement of a pipeline.
type queued struct {
	st   *pg.Stmt
	args []history.Value
	txn  int64
}

// Connect opens a session of the lane; ctx bounds all that it ever waits for.
func (s *Seat) Connect(ctx context.Context, cfg *pgconn.Config) (*Session, error) {
	conn, err := pg.Connect(ctx, hasty(cfg), nil, pg.Prepared)
	if err != nil {
		return nil, err
	}
	c := &Session{seat: s, conn: conn, stop: conn.Watch(ctx)}
	s.sessions = append(s.sessions, c)
	s.pids = append(s.pids, conn.PID())
	return c, nil
}

func (c *Session) close() {
	c.stop()
	c.conn.Close()
}

// Status is the status that the lane would see if BEGIN had been sent.
func (c *Session) Status() byte {
	if c.begin != nil {
		return 'T'
	}
	return c.conn.Status()
}

// Exec runs a statement when the scheduler lets it go.
func (c *Session) Exec(ctx context.Context, st *pg.Stmt, args []history.Value) (*pg.Result, error) {
	switch verb := sqltext.Verb(st.SQL); {
	case c.piped:
		c.pipeline = append(c.pipeline, queued{st: st, args: args})
		return nil, nil
	case (verb == "begin" || verb == "start") && c.begin == nil && c.conn.Status() == 'I':
		c.begin = st
		return &pg.Result{Tag: "BEGIN"}, nil
	case (verb == "rollback" || verb == "abort") && c.begin != nil:
		c.begin = nil // nothing was sent, and nothing has to be undone
		return &pg.Result{Tag: "ROLLBACK"}, nil
	case (verb == "rollback" || verb == "abort") && (!c.seat.peeked || c.conn.Status() == 'E'):
		return c.send(ctx, st, args)
	case c.lasts != nil && c.begin == nil && c.conn.Status() == 'I' && c.lasts(st.SQL):
		return c.apart(ctx, st, args)
	}
	if err := c.arrive(ctx, st, args); err != nil {
		return nil, err
	}
	if begin := c.begin; begin != nil {
		c.begin = nil
		return c.both(ctx, begin, st, args)
	}
	return c.send(ctx, st, args)
}

// both sends BEGIN and the statement after it in one message.
func (c *Session) both(ctx context.Context, begin, st *pg.Stmt, args []history.Value) (*pg.Result, error) {
	c.txn = c.seat.rec.NextTxn()
	if err := c.conn.StartPipeline(ctx); err != nil {
		return nil, err
	}
	for _, q := range []queued{{begin, nil, c.txn}, {st, args, c.txn}} {
		c.invoke(q)
		if _, err := c.conn.Exec(ctx, q.st, q.args); err != nil {
			return nil, err
		}
	}
	results, err := c.conn.EndPipeline(ctx)
	err = c.deadlock(err)
	if len(results) == 0 {
		c.record(begin, c.txn, nil, err)
		return nil, err
	}
	c.seat.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.OK, Stmt: &begin.Stmt, Txn: c.txn, Status: 'T', Tag: results[0].Tag})
	if err != nil {
		c.record(st, c.txn, nil, err)
		return nil, err
	}
	c.record(st, c.txn, &results[1], nil)
	return &results[1], nil
}

func (c *Session) invoke(q queued) {
	c.seat.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.Invoke, Stmt: &q.st.Stmt, Txn: q.txn, Args: q.args})
}

func (c *Session) arrive(ctx context.Context, st *pg.Stmt, args []history.Value) error {
	alone := c.begin == nil && c.conn.Status() == 'I'
	return c.seat.gate(ctx, step{pid: c.conn.PID(), stmt: &st.Stmt, args: args, snap: alone || c.begin != nil, alone: alone})
}

// send runs a statement and records it.
func (c *Session) send(ctx context.Context, st *pg.Stmt, args []history.Value) (*pg.Result, error) {
	if c.conn.Status() == 'I' {
		c.txn = c.seat.rec.NextTxn()
	}
	c.invoke(queued{st, args, c.txn})
	res, err := c.conn.Exec(ctx, st, args)
	err = c.deadlock(err)
	c.record(st, c.txn, res, err)
	return res, err
}

// deadlock gives a lane that was cancelled in place of the server's own victim
// the answer of a victim.
func (c *Session) deadlock(err error) error {
	var e *pg.Error
	if errors.As(err, &e) && e.Code == canceled && c.seat.victim.Swap(false) {
		return &pg.Error{Code: deadlocked, Severity: "ERROR", Message: "deadlock detected"}
	}
	return err
}

// SQLSTATEs (manual, appendix A).
const (
	canceled         = "57014" // query_canceled
	deadlocked       = "40P01" // deadlock_detected
	lockNotAvailable = "55P03" // lock_not_available
)

func (c *Session) record(st *pg.Stmt, txn int64, res *pg.Result, err error) {
	o := history.Op{Scope: history.ScopeQuery, Kind: history.OK, Stmt: &st.Stmt, Txn: txn, Status: c.conn.Status()}
	var e *pg.Error
	switch {
	case errors.As(err, &e):
		o.Kind, o.SQLState, o.Error = history.Fail, e.Code, e.Message
		if e.Code == deadlocked {
			c.seat.killed.Store(true)
		}
	case err != nil:
		o.Kind, o.Error = history.Info, err.Error()
	case res != nil:
		o.Tag = res.Tag
		if len(res.Rows) > 0 {
			kept := min(len(res.Rows), history.MaxRows)
			o.Columns, o.Rows, o.More = res.Columns, res.Rows[:kept], len(res.Rows)-kept
		}
	}
	if o.Kind != history.Fail && !c.standby && o.Status == 'I' {
		c.seat.committed.Store(true)
	}
	c.seat.rec.Record(&o)
}

// ExecText is not used: lanes run in the prepared protocol.
func (c *Session) ExecText(context.Context, *pg.Stmt, string, []history.Value) ([]pg.Result, error) {
	return nil, errors.New("explore runs scripts in the prepared protocol")
}

// StartPipeline begins to queue; the whole pipeline is one step.
func (c *Session) StartPipeline(context.Context) error {
	c.piped, c.pipeline = true, c.pipeline[:0]
	return nil
}

// SyncPipeline marks the end of an implicit transaction.
func (c *Session) SyncPipeline(context.Context) error {
	c.pipeline = append(c.pipeline, queued{})
	return nil
}

// EndPipeline sends what was queued.
func (c *Session) EndPipeline(ctx context.Context) ([]pg.Result, error) {
	c.piped = false
	if len(c.pipeline) == 0 {
		return nil, nil
	}
	if q := c.pipeline[0]; q.st != nil {
		if err := c.arrive(ctx, q.st, q.args); err != nil {
			return nil, err
		}
	}
	if begin := c.begin; begin != nil {
		c.begin = nil
		if _, err := c.send(ctx, begin, nil); err != nil {
			return nil, err
		}
	}
	if err := c.queue(ctx); err != nil {
		return nil, err
	}
	results, err := c.conn.EndPipeline(ctx)
	err = c.deadlock(err)
	c.recordPipeline(results, err)
	return results, err
}

func (c *Session) queue(ctx context.Context) error {
	if err := c.conn.StartPipeline(ctx); err != nil {
		return err
	}
	inside := c.conn.Status() != 'I'
	for i := range c.pipeline {
		q := &c.pipeline[i]
		if q.st == nil {
			inside = false
			if err := c.conn.SyncPipeline(ctx); err != nil {
				return err
			}
			continue
		}
		if !inside {
			c.txn, inside = c.seat.rec.NextTxn(), true
		}
		q.txn = c.txn
		c.invoke(*q)
		if _, err := c.conn.Exec(ctx, q.st, q.args); err != nil {
			return err
		}
	}
	return nil
}

// recordPipeline gives each statement its answer: results up to the first
// error, then that error.
func (c *Session) recordPipeline(results []pg.Result, err error) {
	n := 0
	for _, q := range c.pipeline {
		switch {
		case q.st == nil:
		case n < len(results):
			c.record(q.st, q.txn, &results[n], nil)
			n++
		default:
			c.record(q.st, q.txn, nil, err)
		}
	}
}
