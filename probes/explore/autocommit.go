package explore

import (
	"context"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
	"github.com/ccheck/ccheck/probes/pg"
)

// A statement on autocommit is a transaction. Another lane's may take its
// snapshot when that one has written and not yet committed: two INSERT … WHERE
// NOT EXISTS, each one statement, insert twice. So its commit is a step of its
// own, sent as the transaction block that the server makes of it anyway.

// parts are what a statement is wrapped in.
type parts struct{ begin, commit, rollback *pg.Stmt }

func newParts(actor, file string) parts {
	of := func(sql string) *pg.Stmt { return &pg.Stmt{Stmt: history.Stmt{Actor: actor, File: file, SQL: sql}} }
	return parts{of("BEGIN"), of("COMMIT"), of("ROLLBACK")}
}

func (p parts) all() []*pg.Stmt { return []*pg.Stmt{p.begin, p.commit, p.rollback} }

// apart runs a statement on autocommit in two steps. Where it fails, its
// transaction is at an end for the others, so that the ROLLBACK is no step.
func (c *Session) apart(ctx context.Context, st *pg.Stmt, args []history.Value) (*pg.Result, error) {
	if err := c.seat.gate(ctx, step{pid: c.conn.PID(), stmt: &st.Stmt, args: args, snap: true}); err != nil {
		return nil, err
	}
	res, err := c.both(ctx, c.parts.begin, st, args)
	if err != nil {
		if c.conn.Status() == 'E' {
			if _, back := c.send(ctx, c.parts.rollback, nil); back != nil {
				return nil, back
			}
		}
		return nil, err
	}
	kept := *res // whose memory is the connection's
	kept.Columns, kept.Rows = slices.Clone(res.Columns), clone(res.Rows)
	if err := c.arrive(ctx, c.parts.commit, nil); err != nil {
		return nil, err
	}
	if _, err := c.send(ctx, c.parts.commit, nil); err != nil {
		return nil, err
	}
	return &kept, nil
}

// functions are those that the scenario has made, in lower case: what they do the
// text of a statement that calls them does not say.
func functions(conn *pg.Conn) ([]string, error) {
	res, err := conn.Ask(`select distinct proname from pg_proc
		where pronamespace = current_schema()::regnamespace and prokind = 'f' and provolatile = 'v' and prorettype <> 'trigger'::regtype`)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, row := range res.Rows {
		names = append(names, strings.ToLower(row[0].Text))
	}
	return names, nil
}

// lasting reports, for statements on autocommit, whether their commit is
// something that another lane may see. Of these functions it is not known.
func lasting(made []string) func(sql string) bool {
	return func(sql string) bool {
		return sqltext.Writes(sql) || sqltext.Keeps(sql) || sqltext.Verb(sql) == "select" &&
			slices.ContainsFunc(sqltext.Calls(sql), func(name string) bool { return slices.Contains(made, strings.ToLower(strings.Trim(name, `"`))) })
	}
}

// peeks reports whether a statement looks at locks without waiting for them.
func peeks(st *history.Stmt) bool { return sqltext.Peeks(st.SQL) }
