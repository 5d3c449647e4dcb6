package wire

import (
	"github.com/ccheck/ccheck/probes/history"
)

// op is one command that runs, with what is known of its answer.
type op struct {
	kind   Kind
	sql    string
	verb   string
	portal *portal // of Execute
	fetch  bool    // more of a portal that was recorded when it ran first

	rec    *history.Recorder // nil when nothing is recorded
	text   *text
	call   int64
	txn    int64
	begun  bool // a row description came and its command has not ended
	shape  *shape
	cells  []history.Value
	rows   [][]history.Value
	count  int  // rows in all
	shared bool // the gate has rows
	told   bool // the gate has the answer
	bytes  int  // of the values that are kept
	tag    string
	err    *serverError
}

// serverError is what is kept of an ErrorResponse.
type serverError struct {
	state, message string
	fatal          bool
}

// errSkipped is the answer to statements behind one that failed: the server
// drops them up to the next Sync. Lanes that send pipelines record the same.
var errSkipped = &serverError{state: "25P02", message: "skipped: an earlier statement of the pipeline failed"}

// maxSpare bounds what a connection keeps to be used again.
const maxSpare = 16

func (c *Conn) newOp(kind Kind, sql string) *op {
	var o *op
	if n := len(c.spare); n > 0 {
		o, c.spare = c.spare[n-1], c.spare[:n-1]
	} else {
		o = &op{}
	}
	o.kind, o.sql, o.verb = kind, sql, verbOf(sql)
	return o
}

// empty makes the command one that can be used again.
func (o *op) empty() *op {
	clear(o.cells[:cap(o.cells)])
	clear(o.rows[:cap(o.rows)])
	*o = op{cells: o.cells[:0], rows: o.rows[:0]}
	return o
}

// invoke records that the command is sent.
func (c *Conn) invoke(o *op) {
	if c.rec == nil || o.fetch {
		return
	}
	args := c.define(o)
	o.rec, o.call = c.rec, c.call
	o.txn = c.txn.enter(o.verb, c.rec.NextTxn)
	c.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.Invoke, Stmt: &o.text.stmt, Txn: o.txn, Call: o.call, Args: args})
	c.scan.forget()
}

// shown is the command as the gate sees it.
func (o *op) shown() Statement {
	s := Statement{Kind: o.kind, SQL: o.sql}
	if o.portal != nil {
		s.Args = o.portal.args
	}
	return s
}

// define finds the history's statement, and returns the values, which are valid
// until the next.
func (c *Conn) define(o *op) []history.Value {
	t := c.proxy.tape
	if o.portal == nil {
		if !c.scan.find(o.sql) {
			o.text = t.text([]byte(o.sql))
			return nil
		}
		o.text = t.text(c.scan.out)
		return c.scan.args
	}
	p := o.portal.stmt
	if p.text == nil {
		p.text = t.text([]byte(p.sql))
	}
	o.text = p.text
	return o.portal.args
}

// start begins a result: a row description, or the first row of a portal whose
// description the client has from before.
func (o *op) start(s *shape) {
	if o.shared {
		o.cells, o.rows, o.shared = nil, nil, false
	}
	o.shape, o.cells, o.rows, o.count, o.bytes, o.begun = s, o.cells[:0], o.rows[:0], 0, 0, true
}

// row keeps a DataRow as far as the limits allow.
func (o *op) row(r *fields, l Limits) {
	o.count++
	if len(o.rows) >= l.Rows || o.bytes >= l.Bytes {
		return
	}
	if o.shape == nil && o.portal != nil {
		o.shape = o.portal.stmt.shape
	}
	n := max(r.int16(), 0)
	if cap(o.cells) == 0 {
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
	col := o.shape.column(i)
	if o.portal != nil {
		col.format = o.portal.format(i)
	}
	return r.value(size, col.typ, col.format)
}

// names are the columns of the rows.
func (o *op) names() []string {
	if len(o.rows) == 0 {
		return nil
	}
	return o.shape.header(len(o.rows[0]))
}

// answer is what the gate gets.
func (o *op) answer() Answer {
	o.shared = true
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
	e := history.Op{Scope: history.ScopeQuery, Kind: history.OK, Stmt: &o.text.stmt, Txn: o.txn, Call: o.call, Status: status}
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
