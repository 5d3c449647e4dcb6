package retry

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/wire"
)

var _ wire.Gate = (*gate)(nil)

// gate lets everything through, and records it from the first round on: the
// tables that the head of the history describes are there only when the
// application has begun.
type gate struct {
	mu    sync.Mutex
	w     *history.Writer
	links map[*wire.Conn]*link
	stmts map[string]*history.Stmt
	open  int    // batches on their way
	verb  string // at whose answer the caller knows that something lasts
	// before is called for each batch that runs something, ahead of it; nil is
	// nobody.
	before func()
}

// link is a connection with what it has on its way.
type link struct {
	rec  *history.Recorder
	txn  int64
	sent []sent
}

// sent is a statement without an answer.
type sent struct {
	stmt *history.Stmt
	txn  int64
}

// record begins the record.
func (g *gate) record(w *history.Writer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.w, g.stmts = w, map[string]*history.Stmt{}
}

// begin forgets what another caller has sent.
func (g *gate) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.verb = ""
}

// last is the first word of the statement whose answer says that something
// lasts: COMMIT, or the write of a caller without transactions.
func (g *gate) last() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.verb
}

// rest returns when nothing is on its way.
func (g *gate) rest(ctx context.Context) error {
	const longest, step = 5 * time.Second, time.Millisecond
	for end := time.Now().Add(longest); time.Now().Before(end); {
		g.mu.Lock()
		open := g.open
		g.mu.Unlock()
		if open == 0 {
			return nil
		}
		select {
		case <-time.After(step):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Opened implements wire.Gate.
func (g *gate) Opened(*wire.Conn) error { return nil }

// Arrive implements wire.Gate.
func (g *gate) Arrive(_ context.Context, c *wire.Conn, b wire.Batch) error {
	if g.before != nil && b.Runs() {
		g.before()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.w == nil || !b.Runs() {
		return nil
	}
	l := g.link(c)
	if b.Tx == 'I' || l.txn == 0 {
		l.txn = l.rec.NextTxn()
	}
	for _, st := range b.Statements {
		if st.Kind == wire.Prepare {
			continue
		}
		g.note(st.SQL, b.Tx)
		s := sent{g.define(st.SQL), l.txn}
		l.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.Invoke, Stmt: s.stmt, Txn: s.txn, Args: st.Args})
		l.sent = append(l.sent, s)
		g.open++
	}
	return l.rec.Flush()
}

// note keeps the word at which the answer can be lost.
func (g *gate) note(sql string, tx byte) {
	switch verb := verbOf(sql); verb {
	case "COMMIT", "END":
		g.verb = "COMMIT"
	case "INSERT", "UPDATE", "DELETE", "MERGE":
		if tx == 'I' && g.verb != "COMMIT" {
			g.verb = verb
		}
	}
}

// verbOf is the first word of a statement, in upper case.
func verbOf(sql string) string {
	words := strings.Fields(sql)
	if len(words) == 0 {
		return ""
	}
	return strings.ToUpper(strings.TrimRight(words[0], ";"))
}

// link is the connection's, with a lane of its own: lane 0 is the caller.
func (g *gate) link(c *wire.Conn) *link {
	if g.links == nil {
		g.links = map[*wire.Conn]*link{}
	}
	l := g.links[c]
	if l == nil {
		l = &link{rec: g.w.Recorder(1 + c.ID)}
		g.links[c] = l
	}
	return l
}

func (g *gate) define(sql string) *history.Stmt {
	st := g.stmts[sql]
	if st == nil {
		st = &history.Stmt{SQL: sql}
		_ = g.w.Define(st) // the writer keeps the error and tells it at the end
		g.stmts[sql] = st
	}
	return st
}

// Answered implements wire.Gate.
func (g *gate) Answered(c *wire.Conn, r wire.Result) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.links[c]
	if l == nil {
		return
	}
	for i, s := range l.sent {
		o := history.Op{Scope: history.ScopeQuery, Kind: history.Info, Stmt: s.stmt, Txn: s.txn, Error: "the connection was lost"}
		if !r.Lost {
			o = answer(s, r, i, len(l.sent))
		}
		l.rec.Record(&o)
	}
	g.open -= len(l.sent)
	l.sent = l.sent[:0]
	_ = l.rec.Flush() // the writer keeps the error and tells it at the end
}

// answer is that of statement i of n. A text of several commands has the answer
// of its last one; a statement behind one that failed has none of its own.
func answer(s sent, r wire.Result, i, n int) history.Op {
	o := history.Op{Scope: history.ScopeQuery, Kind: history.OK, Stmt: s.stmt, Txn: s.txn, Status: r.Tx}
	if i < n-1 && r.Tx == 'I' {
		o.Status = 'T'
	}
	if n == 1 {
		i = len(r.Answers) - 1
	}
	if i < 0 || i >= len(r.Answers) {
		return o
	}
	a := r.Answers[i]
	if a.SQLState != "" {
		o.Kind, o.SQLState, o.Error = history.Fail, a.SQLState, a.Message
		return o
	}
	o.Tag, o.Columns, o.Rows, o.More, o.Affected = a.Tag, a.Columns, a.Rows, a.More, history.AffectedOf(a.Tag)
	return o
}

// Closed implements wire.Gate: what has no answer by now will never have one.
func (g *gate) Closed(c *wire.Conn) {
	g.Answered(c, wire.Result{Lost: true})
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.links, c)
}
