package pg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ccheck/ccheck/probes/history"
)

// maxRows is the number of rows of one result that a Result holds. Beyond it
// the last row replaces the one before, so that the first rows and the last
// are right and the number is in Affected.
const maxRows = 1000

// LostError means that the connection is gone. Statements that were on their
// way have an unknown outcome.
type LostError struct{ Err error }

func (e *LostError) Error() string { return "the connection to the server was lost: " + e.Err.Error() }

func (e *LostError) Unwrap() error { return e.Err }

// Conn is one connection. It is used by one goroutine at a time, except for
// Watch, Cancel and PID.
type Conn struct {
	nc       transport
	closing  sync.Mutex // guards nc against being interrupted after it was closed
	gone     bool
	fe       *pgproto3.Frontend
	control  *pgconn.PgConn // for cancel requests only
	rec      *history.Recorder
	protocol Protocol
	version  string
	failed   func(sqlstate string)
	holds    bool
	held     *Stmt // a BEGIN that travels with the next statement

	status   byte
	txn      int64
	lost     error
	prepared map[*Stmt]*plan

	pipeline bool
	queued   []queued // statements of the pipeline whose answer has not come

	bind    pgproto3.Bind
	params  [][]byte
	scratch []byte
	tags    map[string]string
	answer  answer
	results []Result
}

// plan is a prepared statement of this connection.
type plan struct {
	name    string
	ready   bool // the server has it
	sent    bool // it is on its way in the pipeline
	begin   bool // it only opens a transaction
	columns []string
}

// queued is a statement of a pipeline, or a Sync when stmt is nil.
type queued struct {
	stmt *Stmt
	plan *plan
	txn  int64
}

// Connect opens a connection whose owner waits for each answer in the kernel,
// which is quickest for one or two of them. rec may be nil: nothing is recorded
// then.
func Connect(ctx context.Context, cfg *pgconn.Config, rec *history.Recorder, protocol Protocol) (*Conn, error) {
	c, err := ConnectPolled(ctx, cfg, rec, protocol)
	if err != nil {
		return nil, err
	}
	// After ReadyForQuery nothing of the answer is left in the old buffers.
	if p, ok := c.nc.(polled); ok && c.fe.ReadBufferLen() == 0 {
		if nc, ok := newDirect(p.Conn); ok {
			c.nc, c.fe = nc, pgproto3.NewFrontend(nc, nc)
		}
	}
	return c, nil
}

// ConnectPolled opens a connection that waits by way of Go's poller: for many
// at a time, which would need a thread each otherwise.
func ConnectPolled(ctx context.Context, cfg *pgconn.Config, rec *history.Recorder, protocol Protocol) (*Conn, error) {
	control, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	hijacked, err := control.Hijack()
	if err != nil {
		control.Close(ctx)
		return nil, fmt.Errorf("taking over the connection: %w", err)
	}
	c := &Conn{
		nc: polled{hijacked.Conn}, fe: hijacked.Frontend, rec: rec, protocol: protocol,
		version:  hijacked.ParameterStatuses["server_version"],
		status:   hijacked.TxStatus,
		prepared: map[*Stmt]*plan{}, tags: map[string]string{},
	}
	if c.control, err = pgconn.Construct(hijacked); err != nil {
		c.nc.Close()
		return nil, fmt.Errorf("taking over the connection: %w", err)
	}
	return c, nil
}

// PID is the process id of the server's backend.
func (c *Conn) PID() uint32 { return c.control.PID() }

// ServerVersion is the server's server_version: "15.18 (Debian 15.18-0+deb12u1)".
func (c *Conn) ServerVersion() string { return c.version }

// Status is the transaction status that the server last told: 'I' idle, 'T' in
// a transaction, 'E' in a failed one.
func (c *Conn) Status() byte { return c.status }

// Watch makes every wait of the connection end when ctx is done; the
// connection is lost then. The function that comes back ends the watch.
func (c *Conn) Watch(ctx context.Context) func() bool {
	return context.AfterFunc(ctx, func() {
		c.closing.Lock()
		defer c.closing.Unlock()
		if !c.gone {
			c.nc.Interrupt()
		}
	})
}

// OnError has f called with the SQLSTATE of every error that a recorded
// statement is answered with.
func (c *Conn) OnError(f func(sqlstate string)) { c.failed = f }

// Cancel asks the server, on a connection of its own, to end the statement that runs.
func (c *Conn) Cancel(ctx context.Context) error { return c.control.CancelRequest(ctx) }

// Close ends the session. It may be called on a lost connection.
func (c *Conn) Close() {
	if c.lost == nil {
		c.fe.Send(&pgproto3.Terminate{})
		_ = c.fe.Flush()
	}
	c.hangUp()
	if c.lost == nil {
		c.lost = &LostError{net.ErrClosed}
	}
}

// Prepare parses statements ahead of their first use, so that the first call
// is not slower than the others. A statement that does not parse is left
// alone: its first use will tell.
func (c *Conn) Prepare(stmts ...*Stmt) error {
	if c.protocol != Prepared {
		return nil
	}
	for _, st := range stmts {
		p := c.plan(st)
		if p.ready {
			continue
		}
		c.sendParse(p, st)
		if err := c.sync(); err != nil {
			return c.lose(err)
		}
		c.answer.reset(p)
		if err := c.readAnswer(); err != nil {
			return err
		}
	}
	return nil
}

// Exec runs a statement with its parameters in the extended or prepared
// protocol. A server's error is an *Error; any other is a *LostError, or an
// error of the recorder. In a pipeline the statement is only queued.
func (c *Conn) Exec(_ context.Context, st *Stmt, args []history.Value) (*Result, error) {
	if c.lost != nil {
		return nil, c.lost
	}
	if c.hold(st) {
		return &c.answer.Result, nil
	}
	held := c.sendHeld()
	if err := c.recordInvoke(st, args); err != nil {
		return nil, err
	}
	p := c.sendExec(st, args)
	if c.pipeline {
		c.queued = append(c.queued, queued{st, p, c.txn})
		return nil, nil
	}
	if err := c.sync(); err != nil {
		return nil, c.unknown(st, err)
	}
	refused, err := c.readHeld(held)
	if err != nil {
		return nil, c.unknown(st, err)
	}
	c.answer.reset(p)
	c.answer.err = refused
	if err := c.readAnswer(); err != nil {
		return nil, c.unknown(st, err)
	}
	return c.finish(st)
}

// sync ends what is queued with a Sync and sends it.
func (c *Conn) sync() error {
	c.fe.SendSync(&pgproto3.Sync{})
	return c.fe.Flush()
}

// ExecText runs text in the simple protocol. args are the values that stand in
// it in place of $1, $2 …; they are recorded and not sent. Statements that were combined
// give one result each.
func (c *Conn) ExecText(_ context.Context, st *Stmt, text string, args []history.Value) ([]Result, error) {
	if c.lost != nil {
		return nil, c.lost
	}
	if err := c.release(); err != nil {
		return nil, err
	}
	if err := c.recordInvoke(st, args); err != nil {
		return nil, err
	}
	c.fe.SendQuery(&pgproto3.Query{String: text})
	if err := c.fe.Flush(); err != nil {
		return nil, c.unknown(st, err)
	}
	c.answer.reset(nil)
	c.results = c.results[:0]
	c.answer.many = &c.results
	if err := c.readAnswer(); err != nil {
		return nil, c.unknown(st, err)
	}
	if _, err := c.finish(st); err != nil {
		return c.results, err
	}
	return c.results, nil
}

// Ask runs a query that belongs to no actor and records nothing. It is for
// the work beside the lanes: set-up, invariants, samples. All rows come back.
func (c *Conn) Ask(text string) (*Result, error) {
	if c.lost != nil {
		return nil, c.lost
	}
	if err := c.release(); err != nil {
		return nil, err
	}
	c.fe.SendQuery(&pgproto3.Query{String: text})
	if err := c.fe.Flush(); err != nil {
		return nil, c.lose(err)
	}
	c.answer.reset(nil)
	c.answer.limit = math.MaxInt
	if err := c.readAnswer(); err != nil {
		return nil, err
	}
	if c.answer.err != nil {
		return nil, c.answer.err
	}
	return &c.answer.Result, nil
}

func (c *Conn) plan(st *Stmt) *plan {
	p := c.prepared[st]
	if p == nil {
		p = &plan{begin: plainBegin.MatchString(st.SQL)}
		if c.protocol == Prepared {
			p.name = fmt.Sprintf("ccheck_%d", len(c.prepared)+1)
		}
		c.prepared[st] = p
	}
	return p
}

func (c *Conn) sendParse(p *plan, st *Stmt) {
	c.fe.SendParse(&pgproto3.Parse{Name: p.name, Query: st.SQL})
	c.fe.SendDescribe(&pgproto3.Describe{ObjectType: 'S', Name: p.name})
}

// sendExec queues parse (when needed), bind and execute. Extended is prepared
// with the unnamed statement and no memory.
func (c *Conn) sendExec(st *Stmt, args []history.Value) *plan {
	p := c.plan(st)
	if !p.ready && !p.sent {
		c.sendParse(p, st)
		p.sent = c.pipeline && c.protocol == Prepared
	}
	c.params, c.scratch = c.params[:0], c.scratch[:0]
	for _, a := range args {
		c.scratch = append(c.scratch, a.Text...)
	}
	rest := c.scratch
	for _, a := range args {
		if a.Null {
			c.params = append(c.params, nil)
			continue
		}
		c.params = append(c.params, rest[:len(a.Text):len(a.Text)])
		rest = rest[len(a.Text):]
	}
	c.bind.PreparedStatement, c.bind.Parameters = p.name, c.params
	c.fe.SendBind(&c.bind)
	c.fe.SendExecute(&pgproto3.Execute{})
	return p
}

// recordInvoke writes the call to the history before anything is sent.
func (c *Conn) recordInvoke(st *Stmt, args []history.Value) error {
	c.noteInvoke(st, args)
	if c.pipeline || c.rec == nil {
		return nil
	}
	return c.rec.Flush()
}

func (c *Conn) noteInvoke(st *Stmt, args []history.Value) {
	if c.rec == nil {
		return
	}
	if c.status == 'I' && (!c.pipeline || len(c.queued) == 0) {
		c.txn = c.rec.NextTxn()
	}
	c.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.Invoke, Stmt: &st.Stmt, Txn: c.txn, Args: args})
}

// finish records the answer and hands it out.
func (c *Conn) finish(st *Stmt) (*Result, error) {
	a := &c.answer
	c.record(st, c.txn, a)
	if a.err != nil {
		return nil, a.err
	}
	return &a.Result, nil
}

func (c *Conn) record(st *Stmt, txn int64, a *answer) {
	if a.err != nil && c.failed != nil {
		c.failed(a.err.Code)
	}
	if c.rec == nil {
		return
	}
	o := history.Op{Scope: history.ScopeQuery, Kind: history.OK, Stmt: &st.Stmt, Txn: txn, Status: c.status}
	if a.err != nil {
		o.Kind, o.SQLState, o.Error = history.Fail, a.err.Code, a.err.Message
	} else {
		o.Tag = a.Tag
		if len(a.Rows) > 0 {
			kept := min(len(a.Rows), history.MaxRows)
			o.Columns, o.Rows, o.More = a.Columns, a.Rows[:kept], a.count-kept
		}
	}
	c.rec.Record(&o)
}

// unknown records that the answer will never come.
func (c *Conn) unknown(st *Stmt, err error) error {
	err = c.lose(err)
	if c.rec != nil {
		c.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.Info, Stmt: &st.Stmt, Txn: c.txn, Error: err.Error()})
	}
	return err
}

func (c *Conn) hangUp() {
	c.closing.Lock()
	defer c.closing.Unlock()
	if !c.gone {
		c.gone = true
		c.nc.Close()
	}
}

func (c *Conn) lose(err error) error {
	if c.lost == nil {
		var lost *LostError
		if !errors.As(err, &lost) {
			err = &LostError{err}
		}
		c.lost = err
		c.hangUp()
	}
	return c.lost
}
