package isolation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// conn is a session's connection, used by one goroutine. It reads frames off
// the socket into an inbox, which is one thing, and looks at them in the order
// in which they came, which is another: whether a session has answered can be
// seen without showing its notices too early.
//
// It does not use pgconn for queries, since the runner must leave a query
// unanswered and come back to it.
type conn struct {
	name   string // of the session, for people
	pg     *pgconn.PgConn
	notice func(*pgproto3.NoticeResponse, string) // takes the notice and the query

	query    string
	inbox    []pgproto3.BackendMessage // read and not yet looked at
	partial  result
	ready    *result // complete and not yet taken
	busy     bool    // a query was sent whose ReadyForQuery was not looked at
	notices  int     // looked at since the connection was made
	notified []*pgproto3.NotificationResponse
	lost     error // of the socket; nothing can be sent or read any more

	active *flight // the step that is under way, nil when there is none
}

// result is the answer to one statement of a query.
type result struct {
	columns []string
	rows    [][][]byte // nil values are NULL
	tuples  bool       // the statement returns rows, be they none
	err     *pgproto3.ErrorResponse
	lost    bool // no answer: the connection broke
}

// send begins a query in the simple protocol.
func (c *conn) send(sql string) error {
	if c.lost != nil {
		return c.lost
	}
	c.query, c.busy, c.partial = sql, true, result{}
	frontend := c.pg.Frontend()
	frontend.SendQuery(&pgproto3.Query{String: sql})
	if err := frontend.Flush(); err != nil {
		c.lost = err
		return err
	}
	return nil
}

// fill reads what has come, waiting as long as told for the first frame; with
// instant it takes what is there. Breaking of the connection is kept in lost,
// not returned: what came before must be looked at first.
func (c *conn) fill(wait time.Duration) {
	for got := false; c.lost == nil; got = true {
		if c.pg.Frontend().ReadBufferLen() == 0 {
			yes, known := arrived(c.pg.Conn(), wait)
			if known && !yes || !known && got {
				return
			}
			if known {
				wait = patience // for the rest of a frame
			}
		}
		if !c.receive(max(wait, glance)) {
			return
		}
		wait = instant
	}
}

// receive reads one frame into the inbox, or says that it did not in this time.
func (c *conn) receive(wait time.Duration) bool {
	c.lost = c.pg.Conn().SetReadDeadline(time.Now().Add(wait))
	if c.lost != nil {
		return false
	}
	msg, err := c.pg.Frontend().Receive()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return false
	case err != nil:
		c.lost = err
		return false
	}
	c.inbox = append(c.inbox, keep(msg))
	return true
}

// instant is the wait of one who does not wait, glance the least that a read
// needs to look at the socket at all, and patience the wait after which the
// context is looked at again.
const (
	instant  = 0
	glance   = 50 * time.Microsecond
	patience = 10 * time.Millisecond
)

// look goes through the inbox until a result is complete or the query is over,
// and over the notices right after it, as libpq does. It says whether there is
// a result or the end: isolationtester calls a step done then, even when more
// results follow.
func (c *conn) look() bool {
	for len(c.inbox) > 0 && (c.busy && c.ready == nil || aside(c.inbox[0])) {
		msg := c.inbox[0]
		c.inbox = c.inbox[1:]
		c.take(msg)
	}
	if c.busy && c.ready == nil && c.lost != nil {
		c.ready, c.busy = &result{lost: true}, false
	}
	return c.ready != nil || !c.busy
}

// aside says that the message is no part of an answer.
func aside(msg pgproto3.BackendMessage) bool {
	switch msg.(type) {
	case *pgproto3.NoticeResponse, *pgproto3.NotificationResponse:
		return true
	default:
		return false
	}
}

func (c *conn) take(msg pgproto3.BackendMessage) {
	switch msg := msg.(type) {
	case *pgproto3.NoticeResponse:
		c.notices++
		c.notice(msg, c.query)
	case *pgproto3.NotificationResponse:
		c.notified = append(c.notified, msg)
	case *pgproto3.RowDescription:
		c.partial = result{tuples: true}
		for _, f := range msg.Fields {
			c.partial.columns = append(c.partial.columns, string(f.Name))
		}
	case *pgproto3.DataRow:
		c.partial.rows = append(c.partial.rows, msg.Values)
	case *pgproto3.ErrorResponse:
		c.refused(msg)
	case *pgproto3.CommandComplete, *pgproto3.EmptyQueryResponse:
		c.finish()
	case *pgproto3.CopyInResponse:
		c.refuseCopy()
	case *pgproto3.ReadyForQuery:
		c.busy = false
	}
}

// refused takes an error. One that answers no query, as when the server ends an
// idle session, libpq shows as a notice.
func (c *conn) refused(msg *pgproto3.ErrorResponse) {
	if !c.busy {
		c.take((*pgproto3.NoticeResponse)(msg))
		return
	}
	c.partial = result{err: msg}
	c.finish()
}

// idle looks at what came when no query was under way.
func (c *conn) idle() {
	for !c.busy && len(c.inbox) > 0 {
		msg := c.inbox[0]
		c.inbox = c.inbox[1:]
		c.take(msg)
	}
}

// refuseCopy ends a COPY FROM STDIN with an error of the server: a spec has no
// data for it.
func (c *conn) refuseCopy() {
	frontend := c.pg.Frontend()
	frontend.Send(&pgproto3.CopyFail{Message: "a spec has no data for COPY FROM STDIN"})
	if err := frontend.Flush(); err != nil {
		c.lost = err
	}
}

func (c *conn) finish() {
	done := c.partial
	c.ready, c.partial = &done, result{}
}

// answered says whether the server is done with the query, by what has been
// read: nothing of it runs any more.
func (c *conn) answered() bool {
	if !c.busy || c.lost != nil {
		return true
	}
	for _, msg := range c.inbox {
		if _, ok := msg.(*pgproto3.ReadyForQuery); ok {
			return true
		}
	}
	return false
}

// result returns the next result of the query, nil when there is none left. It
// waits for it as long as the context lets it.
func (c *conn) result(ctx context.Context) (*result, error) {
	for !c.look() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.fill(patience)
	}
	r := c.ready
	c.ready = nil
	return r, nil
}

// exec sends a query and returns its last result, as libpq's PQexec does. What
// the server refuses and a broken connection are results; the error is the
// context's.
func (c *conn) exec(ctx context.Context, sql string) (*result, error) {
	if err := c.send(sql); err != nil {
		return &result{lost: true}, nil
	}
	last := &result{}
	for {
		r, err := c.result(ctx)
		if err != nil || r == nil {
			return last, err
		}
		last = r
	}
}

// err is the result as an error of Go, nil when it is none.
func (c *conn) err(r *result) error {
	switch {
	case r.lost && c.lost != nil:
		return fmt.Errorf("the connection is gone (%w)", c.lost)
	case r.err != nil:
		return pgconn.ErrorResponseToPgError(r.err)
	default:
		return nil
	}
}

// words is a refusal as libpq words it for isolationtester.
func (c *conn) words(refused error) string {
	var e *pgconn.PgError
	if !errors.As(refused, &e) {
		return "no connection to the server"
	}
	text := message(&pgproto3.NoticeResponse{
		Severity: e.Severity, Message: e.Message, Detail: e.Detail, Hint: e.Hint,
		Position: e.Position, InternalPosition: e.InternalPosition, InternalQuery: e.InternalQuery,
	}, c.query)
	if e.Where != "" {
		text += "CONTEXT:  " + e.Where + "\n"
	}
	return strings.TrimSuffix(text, "\n")
}
