package isolation

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// reportWaiting writes that the step waits, unless that was written.
func (p *play) reportWaiting(f *flight) {
	if !f.waiting {
		f.waiting = true
		p.outcome.Waited = append(p.outcome.Waited, f.Step.Name)
		fmt.Fprintf(p.out, "step %s: %s <waiting ...>\n", f.Step.Name, f.Step.SQL)
	}
}

func (p *play) reportCancel(f *flight, took time.Duration) {
	fmt.Fprintf(p.out, "isolationtester: canceling step %s after %d seconds\n", f.Step.Name, int(took.Seconds()))
}

// complete writes the step's end, its results and the notifications that its
// session has got, and frees the session for the next step.
func (p *play) complete(ctx context.Context, f *flight) error {
	if f.waiting {
		fmt.Fprintf(p.out, "step %s: <... completed>\n", f.Step.Name)
	} else {
		fmt.Fprintf(p.out, "step %s: %s\n", f.Step.Name, f.Step.SQL)
	}
	for {
		r, err := p.result(ctx, f)
		if err != nil {
			return err
		}
		if r == nil {
			break
		}
		p.writeResult(f, r)
	}
	p.writeNotifications(f.conn)
	f.conn.active = nil
	return nil
}

// result is the next result of the step, under its limit: the first is there,
// but another may be long in coming.
func (p *play) result(ctx context.Context, f *flight) (*result, error) {
	limit := p.limit(f)
	for !f.conn.look() {
		if err := limit.check(ctx); err != nil {
			return nil, err
		}
		f.conn.fill(patience)
	}
	return f.conn.result(ctx)
}

// gone is what libpq says of a connection that the server closed.
const gone = `server closed the connection unexpectedly
	This probably means the server terminated abnormally
	before or while processing the request.`

func (p *play) writeResult(f *flight, r *result) {
	switch {
	case r.lost:
		fmt.Fprint(p.out, gone, "\n\n")
	case r.err != nil:
		// The detail may hold numbers of transactions and processes, which
		// differ from run to run.
		fmt.Fprintf(p.out, "%s:  %s\n", r.err.Severity, r.err.Message)
		p.outcome.Refused = append(p.outcome.Refused, Refusal{f.Step.Name, r.err.Code, r.err.Message})
	case r.tuples:
		writeTable(p.out, r)
	}
}

// writeNotifications writes what has arrived, also after the end of the query.
func (p *play) writeNotifications(c *conn) {
	c.fill(instant)
	c.idle()
	for _, n := range c.notified {
		fmt.Fprintf(p.out, "%s: NOTIFY \"%s\" with payload \"%s\" from %s\n", c.name, n.Channel, n.Payload, p.sender(n.PID))
	}
	c.notified = nil
}

// sender names the session of a process id.
func (p *play) sender(pid uint32) string {
	for _, c := range p.sessions {
		if c.pg.PID() == pid {
			return c.name
		}
	}
	return fmt.Sprintf("PID %d", pid)
}

// writeNotice writes a notice of a session at the moment it is looked at.
func (p *play) writeNotice(session string) func(*pgproto3.NoticeResponse, string) {
	return func(n *pgproto3.NoticeResponse, query string) {
		fmt.Fprintf(p.out, "%s: %s", session, message(n, query))
	}
}
