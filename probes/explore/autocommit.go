package explore

import (
	"context"
	"regexp"
	"slices"

	"github.com/ccheck/ccheck/probes/history"
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

var (
	// dataChanges are statements that write, wherever the verb stands in them.
	dataChanges = regexp.MustCompile(`(?is)^\s*(insert|update|delete|merge|truncate)\b|^\s*with\b.*\b(insert\s+into|update|delete\s+from|merge\s+into)\b`)
	// holding are queries that keep something until their transaction ends.
	holding = regexp.MustCompile(`(?i)\bfor\s+(no\s+key\s+)?update\b|\bfor\s+(key\s+)?share\b|\bpg_(try_)?advisory_xact_lock`)
	// peeking are statements that look at locks without waiting for them.
	peeking = regexp.MustCompile(`(?i)\bnowait\b|\bskip\s+locked\b|\bpg_try_advisory_|\block_timeout\b`)
)

// functions matches calls of functions that the scenario has made: what they do
// their text alone does not say. It is nil when there are none.
func functions(conn *pg.Conn) (*regexp.Regexp, error) {
	res, err := conn.Ask(`select string_agg(distinct regexp_replace(proname, '([^[:alnum:]_])', '\\\1', 'g'), '|') from pg_proc
		where pronamespace = current_schema()::regnamespace and prokind = 'f' and provolatile = 'v' and prorettype <> 'trigger'::regtype`)
	if err != nil || res.Rows[0][0].Null {
		return nil, err
	}
	return regexp.Compile(`(?i)\b(` + res.Rows[0][0].Text + `)\s*\(`)
}

// lasting reports, for statements on autocommit, whether their commit is
// something that another lane may see.
func lasting(calls *regexp.Regexp) func(sql string) bool {
	return func(sql string) bool {
		text := plain(sql)
		return dataChanges.MatchString(text) || holding.MatchString(text) ||
			verbOf(text) == "select" && calls != nil && calls.MatchString(text)
	}
}

// peeks reports whether a statement looks at locks without waiting for them.
func peeks(st *history.Stmt) bool { return peeking.MatchString(plain(st.SQL)) }
