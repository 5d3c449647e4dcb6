package explore

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
)

// ErrRefused is what a lane returns for a business answer, such as "sold out",
// that is no failure.
var ErrRefused = errors.New("refused")

// Func is a lane in Go: what the application does for one request, on its own
// connection. Every statement waits at the gate before it is sent. Do must not
// start goroutines that use the connection, and must not wait for other lanes.
type Func struct {
	Name string
	Do   func(ctx context.Context, conn *pgx.Conn) error
}

// funcLane runs a Func.
type funcLane struct {
	Func
	config  func() *pgconn.Config
	level   string
	defined *definitions
	conn    *pgx.Conn
	seat    *Seat
	txn     int64
	ops     []*history.Op // invokes without an answer
}

// definitions numbers statements as they turn up.
type definitions struct {
	mu    sync.Mutex
	known map[string]*history.Stmt
}

func (d *definitions) stmt(s *Seat, sql string) (*history.Stmt, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if st := d.known[sql]; st != nil {
		return st, nil
	}
	st := &history.Stmt{Actor: s.lane.Actor, SQL: sql}
	if err := s.define(st); err != nil {
		return nil, err
	}
	d.known[sql] = st
	return st, nil
}

func (l *funcLane) open(ctx context.Context, s *Seat) error {
	own := hasty(l.config())
	cfg, err := pgx.ParseConfig("host=localhost") // what pgx adds to a pgconn.Config can be had in no other way
	if err != nil {
		return fmt.Errorf("making a configuration of pgx: %w", err)
	}
	cfg.Config, cfg.Tracer = *own, l
	cfg.RuntimeParams["default_transaction_isolation"] = l.level
	if l.conn, err = pgx.ConnectConfig(ctx, cfg); err != nil {
		return err
	}
	l.seat = s
	s.pids = append(s.pids, l.conn.PgConn().PID())
	s.onClose = func() { _ = l.conn.Close(context.WithoutCancel(ctx)) }
	return nil
}

func (l *funcLane) call(ctx context.Context, _ *Seat) Ending {
	err := l.Do(ctx, l.conn)
	if l.conn.PgConn().TxStatus() != 'I' {
		if _, undo := l.conn.Exec(ctx, "rollback"); undo != nil && err == nil {
			err = undo
		}
	}
	var server *pgconn.PgError
	switch {
	case err == nil:
		return Ending{Outcome: history.Accepted, Tries: 1}
	case errors.Is(err, ErrRefused):
		return Ending{Outcome: history.Refused, Tries: 1}
	case errors.As(err, &server):
		return Ending{Outcome: history.Failed, Tries: 1, Err: server}
	}
	return Ending{Outcome: history.Failed, Tries: 1, Err: err}
}

// TraceQueryStart is called by pgx before it sends a statement: the gate.
func (l *funcLane) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	return l.start(ctx, q.SQL, q.Args)
}

// TraceQueryEnd is called when the answer has been read.
func (l *funcLane) TraceQueryEnd(_ context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) {
	l.end(q.CommandTag, q.Err)
}

// TraceBatchStart makes one step of a batch.
func (l *funcLane) TraceBatchStart(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	sql := "a batch"
	if b.Batch != nil && len(b.Batch.QueuedQueries) > 0 {
		sql = b.Batch.QueuedQueries[0].SQL
	}
	return l.start(ctx, sql, nil)
}

// TraceBatchQuery is of no interest: the batch is one step.
func (l *funcLane) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd is called when all answers have been read.
func (l *funcLane) TraceBatchEnd(_ context.Context, _ *pgx.Conn, b pgx.TraceBatchEndData) {
	l.end(pgconn.CommandTag{}, b.Err)
}

// TraceCopyFromStart makes one step of a COPY.
func (l *funcLane) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, c pgx.TraceCopyFromStartData) context.Context {
	return l.start(ctx, "copy "+c.TableName.Sanitize()+" from stdin", nil)
}

// TraceCopyFromEnd is called when the rows are in.
func (l *funcLane) TraceCopyFromEnd(_ context.Context, _ *pgx.Conn, c pgx.TraceCopyFromEndData) {
	l.end(c.CommandTag, c.Err)
}

func (l *funcLane) start(ctx context.Context, sql string, args []any) context.Context {
	if l.seat == nil {
		return ctx // pgx's own, while it connects
	}
	st, err := l.defined.stmt(l.seat, sql)
	if err != nil {
		st = &history.Stmt{SQL: sql}
	}
	status := l.conn.PgConn().TxStatus()
	switch sqltext.Verb(sql) {
	case "begin", "start", "rollback", "abort":
	default:
		// The error is that of ctx, which pgx is about to see itself.
		_ = l.seat.gate(ctx, step{pid: l.conn.PgConn().PID(), stmt: st, snap: status == 'I', alone: status == 'I'})
	}
	if status == 'I' {
		l.txn = l.seat.rec.NextTxn()
	}
	o := &history.Op{Scope: history.ScopeQuery, Kind: history.Invoke, Stmt: st, Txn: l.txn}
	for _, a := range args {
		o.Args = append(o.Args, history.Text(fmt.Sprint(a)))
	}
	l.seat.rec.Record(o)
	l.ops = append(l.ops, o)
	return ctx
}

func (l *funcLane) end(tag pgconn.CommandTag, err error) {
	if len(l.ops) == 0 {
		return
	}
	began := l.ops[len(l.ops)-1]
	l.ops = l.ops[:len(l.ops)-1]
	o := history.Op{Scope: history.ScopeQuery, Kind: history.OK, Stmt: began.Stmt, Txn: began.Txn, Tag: tag.String(), Status: l.conn.PgConn().TxStatus()}
	var server *pgconn.PgError
	switch {
	case errors.As(err, &server):
		o.Kind, o.SQLState, o.Error = history.Fail, server.Code, server.Message
		l.ended(server)
	case err != nil && !errors.Is(err, pgx.ErrNoRows):
		o.Kind, o.Error = history.Info, err.Error()
	}
	l.seat.rec.Record(&o)
}

// ended gives a lane that was cancelled in place of the server's own victim the
// answer of a victim.
func (l *funcLane) ended(e *pgconn.PgError) {
	if e.Code == canceled && l.seat.victim.Swap(false) {
		e.Code, e.Message = deadlocked, "deadlock detected"
	}
	if e.Code == deadlocked {
		l.seat.killed.Store(true)
	}
}
