package pg

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ccheck/ccheck/probes/history"
)

// answer collects the messages that answer one statement.
type answer struct {
	Result
	err   *Error
	plan  *plan
	count int             // rows in all
	cells []history.Value // memory of Rows
	many  *[]Result       // where the results of combined statements go
	copy  bool            // the server asked for COPY data
	begun bool            // a row description came and its statement has not ended
	limit int             // of len(Rows)
}

func (a *answer) reset(p *plan) {
	*a = answer{Result: Result{Rows: a.Rows[:0]}, plan: p, cells: a.cells[:0], limit: maxRows}
	if p != nil {
		a.Columns = p.columns
	}
}

func (a *answer) row(values [][]byte) {
	a.count++
	start := len(a.cells)
	for _, v := range values {
		if v == nil {
			a.cells = append(a.cells, history.Null)
		} else {
			a.cells = append(a.cells, history.Text(string(v)))
		}
	}
	row := a.cells[start:len(a.cells):len(a.cells)]
	if len(a.Rows) < a.limit {
		a.Rows = append(a.Rows, row)
		return
	}
	copy(a.Rows[a.limit-1], row)
	a.cells = a.cells[:start]
}

// complete ends one statement. Of combined statements the last one stays.
func (a *answer) complete(tag string) {
	if a.plan == nil && !a.begun {
		a.begin(nil) // this one returns no rows
	}
	a.begun = false
	a.Tag, a.Affected = tag, history.AffectedOf(tag)
	if a.many != nil {
		r := a.Result
		r.Rows = append(r.Rows[:0:0], r.Rows...)
		*a.many = append(*a.many, r)
		a.cells = nil
	}
}

// begin starts the rows of a statement in the simple protocol.
func (a *answer) begin(columns []string) {
	a.Columns, a.Rows, a.count, a.begun = columns, a.Rows[:0], 0, true
}

// errCopy is what a script gets that tries COPY; pgbench refuses it too.
var errCopy = &Error{Code: "0A000", Severity: "ERROR", Message: "COPY is not supported in a script"}

// readAnswer reads up to ReadyForQuery. An error of the server is in
// c.answer.err; an error that comes back means that the connection is lost.
func (c *Conn) readAnswer() error {
	for {
		msg, err := c.fe.Receive()
		if err != nil {
			return c.lose(err)
		}
		ready, err := c.take(msg)
		if err != nil {
			return c.lose(err)
		}
		if ready {
			return nil
		}
	}
}

func (c *Conn) take(msg pgproto3.BackendMessage) (ready bool, err error) {
	a := &c.answer
	switch m := msg.(type) {
	case *pgproto3.DataRow:
		a.row(m.Values)
	case *pgproto3.CommandComplete:
		a.complete(c.tag(m.CommandTag))
	case *pgproto3.ReadyForQuery:
		c.status = m.TxStatus
		return true, nil
	case *pgproto3.RowDescription:
		c.takeColumns(m)
	case *pgproto3.ParseComplete:
		if a.plan != nil && c.protocol == Prepared {
			a.plan.ready = true
		}
	case *pgproto3.ErrorResponse:
		return false, c.takeError(m)
	case *pgproto3.CopyInResponse:
		a.copy = true
		c.fe.Send(&pgproto3.CopyFail{Message: errCopy.Message})
		if c.answer.plan != nil {
			c.fe.SendSync(&pgproto3.Sync{}) // the one that was sent is ignored in copy mode
		}
		return false, c.fe.Flush()
	case *pgproto3.CopyOutResponse:
		a.err = errCopy
	}
	return false, nil
}

func (c *Conn) takeColumns(m *pgproto3.RowDescription) {
	names := make([]string, len(m.Fields))
	for i, f := range m.Fields {
		names[i] = string(f.Name)
	}
	if c.answer.plan != nil {
		c.answer.plan.columns = names
		c.answer.Columns = names
		return
	}
	c.answer.begin(names)
}

func (c *Conn) takeError(m *pgproto3.ErrorResponse) error {
	e := &Error{Code: m.Code, Severity: m.SeverityUnlocalized, Message: m.Message, Detail: m.Detail, Hint: m.Hint, Position: int(m.Position)}
	if e.Severity == "" {
		e.Severity = m.Severity
	}
	if e.Severity == "FATAL" || e.Severity == "PANIC" {
		return &LostError{fmt.Errorf("%s %s %w", e.Severity, e.Code, errors.New(e.Message))}
	}
	if c.answer.copy {
		e = errCopy
	}
	if c.answer.err == nil {
		c.answer.err = e
	}
	return nil
}

// tag returns the command tag, one string for all that are equal.
func (c *Conn) tag(b []byte) string {
	if s, ok := c.tags[string(b)]; ok {
		return s
	}
	if len(c.tags) > 1000 {
		clear(c.tags)
	}
	s := string(b)
	c.tags[s] = s
	return s
}
