package wire

import (
	"fmt"

	"github.com/ccheck/ccheck/probes/history"
)

// op is one command that runs, with what is known of its answer.
type op struct {
	kind   Kind
	sql    string
	verb   string
	portal *portal // of Execute
	fetch  bool    // more of a portal that was recorded when it ran first

	rec     *history.Recorder // nil when nothing is recorded
	stmt    *history.Stmt
	args    []history.Value
	call    int64
	txn     int64
	begun   bool // a row description came and its command has not ended
	columns []column
	cells   []history.Value
	rows    [][]history.Value
	count   int  // rows in all
	told    bool // the gate has the answer
	bytes   int  // of the values that are kept
	tag     string
	err     *serverError
}

// serverError is what is kept of an ErrorResponse.
type serverError struct {
	state, message string
	fatal          bool
}

// errSkipped is the answer to statements behind one that failed: the server
// drops them up to the next Sync. Lanes that send pipelines record the same.
var errSkipped = &serverError{state: "25P02", message: "skipped: an earlier statement of the pipeline failed"}

func (c *Conn) newOp(kind Kind, sql string) *op { return &op{kind: kind, sql: sql, verb: verbOf(sql)} }

// invoke records that the command is sent.
func (c *Conn) invoke(o *op) {
	if c.rec == nil || o.fetch {
		return
	}
	o.define(c.proxy.tape)
	o.rec, o.call = c.rec, c.call
	o.txn = c.txn.enter(o.verb, c.rec.NextTxn)
	c.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.Invoke, Stmt: o.stmt, Txn: o.txn, Call: o.call, Args: o.args})
}

// shown is the command as the gate sees it.
func (o *op) shown() Statement {
	s := Statement{Kind: o.kind, SQL: o.sql}
	if o.portal != nil {
		s.Args = o.portal.args
	}
	return s
}

// define finds the history's statement and the values.
func (o *op) define(t *tape) {
	if o.portal == nil {
		var text string
		text, o.args = Constants(o.sql)
		o.stmt = t.stmt(text)
		return
	}
	o.args = o.portal.args
	p := o.portal.stmt
	if p.hist == nil {
		p.hist = t.stmt(p.sql)
	}
	o.stmt = p.hist
}

// start begins a result: a row description, or the first row of a portal whose
// description the client has from before.
func (o *op) start(columns []column) {
	o.columns, o.cells, o.rows, o.count, o.bytes, o.begun = columns, nil, nil, 0, 0, true
}

// row keeps a DataRow as far as the limits allow.
func (o *op) row(r *fields, l Limits) {
	o.count++
	if len(o.rows) >= l.Rows || o.bytes >= l.Bytes {
		return
	}
	if o.columns == nil && o.portal != nil {
		o.columns = o.portal.stmt.columns
	}
	n := max(r.int16(), 0)
	if o.cells == nil {
		o.cells = make([]history.Value, 0, n*min(l.Rows, 4))
	}
	from := len(o.cells)
	for i := range n {
		if r.short {
			break
		}
		o.cells = append(o.cells, o.cell(r, i))
	}
	row := o.cells[from:len(o.cells):len(o.cells)]
	for _, v := range row {
		o.bytes += len(v.Text)
	}
	o.rows = append(o.rows, row)
}

func (o *op) cell(r *fields, i int) history.Value {
	size := r.int32()
	if size < 0 {
		return history.Null
	}
	var col column
	if i < len(o.columns) {
		col = o.columns[i]
	}
	if o.portal != nil {
		col.format = o.portal.format(i)
	}
	return r.value(size, col.typ, col.format)
}

// names are the columns of the rows. A result that was never described has
// numbers for names.
func (o *op) names() []string {
	if len(o.rows) == 0 {
		return nil
	}
	names := make([]string, len(o.rows[0]))
	for i := range names {
		if i < len(o.columns) {
			names[i] = o.columns[i].name
		} else {
			names[i] = fmt.Sprintf("column%d", i+1)
		}
	}
	return names
}

// answer is what the gate gets.
func (o *op) answer() Answer {
	a := Answer{SQL: o.sql, Columns: o.names(), Rows: o.rows, More: o.count - len(o.rows), Tag: o.tag}
	if o.err != nil {
		a = Answer{SQL: o.sql, SQLState: o.err.state, Message: o.err.message}
	}
	return a
}

// finish records how the command ended. Status is the transaction status after it.
func (o *op) finish(b *batch, status byte, gated bool) {
	if gated && !o.told && (o.kind != Query || o.err != nil) {
		b.answers = append(b.answers, o.answer())
	}
	if o.rec == nil {
		return
	}
	e := history.Op{Scope: history.ScopeQuery, Kind: history.OK, Stmt: o.stmt, Txn: o.txn, Call: o.call, Status: status}
	switch {
	case o.err != nil && o.err.fatal:
		e.Kind, e.Error, e.Status = history.Info, o.err.message, 0
	case o.err != nil:
		e.Kind, e.SQLState, e.Error = history.Fail, o.err.state, o.err.message
	default:
		e.Tag = o.tag
		if len(o.rows) > 0 {
			kept := min(len(o.rows), history.MaxRows)
			e.Columns, e.Rows, e.More = o.names(), o.rows[:kept], o.count-kept
		}
	}
	o.rec.Record(&e)
}
