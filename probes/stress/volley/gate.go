package volley

import (
	"context"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/fault"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/wire"
)

var _ wire.Gate = (*Gate)(nil)

// Gate stands before a Wire and records every statement, each in the process of
// its connection: which of many requests at once a statement belongs to cannot
// be seen from outside of the application. It records from Begin to End and lets
// everything pass.
type Gate struct {
	*explore.Wire

	mu     sync.Mutex
	conns  map[*wire.Conn]*tap
	taken  []bool // numbers of connections
	out    *history.Writer
	first  int // process of the first connection
	delays *fault.Plan
	stmts  map[string]*history.Stmt
	steps  int64       // statements that have arrived since Begin
	errors []*pg.Error // of statements, which no call has been ended with
	moved  time.Time   // when something arrived or was answered last
}

// tap is a connection of the application.
type tap struct {
	number int
	rec    *history.Recorder
	txn    int64
	tx     byte // status that the server told last
	began  bool // BEGIN has passed, and its answer has not come
	sent   [][]*history.Op
}

// NewGate returns the gate in front of the wire.
func NewGate(w *explore.Wire) *Gate {
	return &Gate{Wire: w, conns: map[*wire.Conn]*tap{}, stmts: map[string]*history.Stmt{}}
}

// Begin starts the record: connections are processes from first on.
func (g *Gate) Begin(out *history.Writer, first int, delays *fault.Plan) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.out, g.first, g.delays, g.stmts = out, first, delays, map[string]*history.Stmt{}
	for _, t := range g.conns {
		g.open(t)
	}
}

// End ends the record.
func (g *Gate) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.out, g.delays = nil, nil
}

func (g *Gate) open(t *tap) {
	t.rec, t.txn, t.sent = g.out.Recorder(g.first+t.number), 0, nil
}

// Opened notes a connection.
func (g *Gate) Opened(c *wire.Conn) error {
	g.mu.Lock()
	t := &tap{number: g.lend(), tx: 'I'}
	g.conns[c] = t
	if g.out != nil {
		g.open(t)
	}
	g.mu.Unlock()
	return g.Wire.Opened(c)
}

func (g *Gate) lend() int {
	for i, taken := range g.taken {
		if !taken {
			g.taken[i] = true
			return i
		}
	}
	g.taken = append(g.taken, true)
	return len(g.taken) - 1
}

// Closed forgets it. What was on its way has an unknown outcome.
func (g *Gate) Closed(c *wire.Conn) {
	g.mu.Lock()
	if t := g.conns[c]; t != nil {
		for _, ops := range t.sent {
			g.lose(t, ops)
		}
		g.abandon(t)
		g.taken[t.number] = false
		delete(g.conns, c)
	}
	g.mu.Unlock()
	g.Wire.Closed(c)
}

func (g *Gate) lose(t *tap, ops []*history.Op) {
	if g.out == nil {
		return
	}
	for _, o := range ops {
		t.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.Info, Stmt: o.Stmt, Txn: o.Txn, Error: lost})
	}
	_ = t.rec.Flush() // the writer keeps the error
}

// abandon ends the transaction of a connection that was closed in the middle of
// it, as the server does.
func (g *Gate) abandon(t *tap) {
	if g.out == nil || t.tx == 'I' || t.txn == 0 || len(t.sent) > 0 {
		return
	}
	st := g.stmt("ROLLBACK")
	t.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.Invoke, Stmt: st, Txn: t.txn})
	t.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.Info, Stmt: st, Txn: t.txn, Error: "the connection was closed in the middle of the transaction"})
	_ = t.rec.Flush() // the writer keeps the error
}

const lost = "the connection was lost before the answer"

// Arrive records a batch, after the delay that the seed gives it.
func (g *Gate) Arrive(ctx context.Context, c *wire.Conn, b wire.Batch) error {
	if err := g.wait(ctx, b); err != nil {
		return err
	}
	if err := g.Wire.Arrive(ctx, c, b); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.conns[c]
	if t == nil {
		return nil
	}
	g.moved = time.Now()
	t.sent = append(t.sent, g.invoke(t, b))
	return nil
}

func (g *Gate) wait(ctx context.Context, b wire.Batch) error {
	g.mu.Lock()
	plan := g.delays
	g.mu.Unlock()
	if plan == nil || !b.Runs() {
		return nil
	}
	t := time.NewTimer(plan.At(fault.Send, "").Wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// invoke records the statements of a batch that run.
func (g *Gate) invoke(t *tap, b wire.Batch) []*history.Op {
	var ops []*history.Op
	for i := range b.Statements {
		st := &b.Statements[i]
		if st.Kind == wire.Prepare {
			continue
		}
		g.steps++
		if g.out == nil {
			continue
		}
		if b.Tx == 'I' && !t.began || t.txn == 0 {
			t.txn = t.rec.NextTxn()
		}
		sql, args := st.SQL, st.Args
		if st.Kind == wire.Query {
			sql, args = wire.Constants(sql)
		}
		o := &history.Op{Scope: history.ScopeQuery, Kind: history.Invoke, Stmt: g.stmt(sql), Txn: t.txn, Args: args}
		t.rec.Record(o)
		ops = append(ops, o)
		t.began = t.began || begins(sql)
	}
	return ops
}

func begins(sql string) bool {
	verb := sqltext.Verb(sql)
	return verb == "begin" || verb == "start"
}

func (g *Gate) stmt(sql string) *history.Stmt {
	s := g.stmts[sql]
	if s == nil {
		s = &history.Stmt{SQL: sql}
		_ = g.out.Define(s) // the writer keeps the error
		g.stmts[sql] = s
	}
	return s
}

// Answered records the answer to a batch.
func (g *Gate) Answered(c *wire.Conn, r wire.Result) {
	g.mu.Lock()
	if t := g.conns[c]; t != nil && len(t.sent) > 0 {
		ops := t.sent[0]
		t.sent = t.sent[1:]
		if r.Tx != 0 {
			t.tx = r.Tx
		}
		t.began = t.began && len(t.sent) > 0
		g.moved = time.Now()
		g.answer(t, ops, r)
	}
	g.mu.Unlock()
	g.Wire.Answered(c, r)
}

func (g *Gate) answer(t *tap, ops []*history.Op, r wire.Result) {
	for i, o := range ops {
		end := history.Op{Scope: history.ScopeQuery, Kind: history.OK, Stmt: o.Stmt, Txn: o.Txn, Status: t.tx}
		switch a := explore.AnswerOf(r, i, len(ops)); {
		case a == nil:
			end.Kind, end.Error, end.Status = history.Info, lost, 0
		case a.SQLState != "":
			end.Kind, end.SQLState, end.Error = history.Fail, a.SQLState, a.Message
			g.errors = append(g.errors, &pg.Error{Code: a.SQLState, Severity: "ERROR", Message: a.Message})
		default:
			end.Tag, end.Columns, end.Rows, end.More, end.Affected = a.Tag, a.Columns, a.Rows, a.More, history.AffectedOf(a.Tag)
		}
		if g.out != nil {
			t.rec.Record(&end)
		}
	}
	if g.out != nil && t.tx == 'I' {
		_ = t.rec.Flush() // the writer keeps the error
	}
}

// reset begins a round.
func (g *Gate) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.errors, g.steps, g.moved = nil, 0, time.Now()
}

// arrived is the number of statements that have arrived since reset.
func (g *Gate) arrived() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.steps
}

// blame returns the server's error that a call which failed was ended by: it is
// known when all errors that no call has been given are of one SQLSTATE.
func (g *Gate) blame() *pg.Error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.errors) == 0 {
		return nil
	}
	first := g.errors[0]
	for _, e := range g.errors {
		if e.Code != first.Code {
			return nil
		}
	}
	g.errors = g.errors[1:]
	return first
}

// stuck reports whether nothing has arrived and nothing was answered for so long,
// while transactions are open and the server works at none of them.
func (g *Gate) stuck(long time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	inside := 0
	for _, t := range g.conns {
		if len(t.sent) > 0 {
			return false
		}
		if t.tx != 'I' {
			inside++
		}
	}
	return inside > 0 && time.Since(g.moved) > long
}
