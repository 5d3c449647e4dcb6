package serial

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
)

// lent returns a statement by which a request takes an advisory lock of its
// session though nothing shows that the connection stays with the request: another
// one that gets it from the pool has the lock as well (manual, 13.3.5). "" is none. A
// transaction in which the lock is given up again keeps it. A request alone cannot
// show more: a pool lends it the same connection each time.
func lent(http map[string]bool, r *round) string {
	for _, c := range r.calls {
		if !http[c.Actor] {
			continue
		}
		for _, t := range c.Txns {
			if sql := ofSession(t); sql != "" {
				return sql
			}
		}
	}
	return ""
}

func ofSession(t *lanes.Txn) string {
	for i, s := range t.Stmts {
		sql := s.Begin.Stmt.SQL
		if !s.Access.Advisory || !takes(sql) {
			continue
		}
		if !slices.ContainsFunc(t.Stmts[i+1:], func(s lanes.Stmt) bool { return gives(s.Begin.Stmt.SQL) }) {
			return sql
		}
	}
	return ""
}

func takes(sql string) bool {
	sql = strings.ToLower(sql)
	return strings.Contains(sql, "pg_advisory_lock") || strings.Contains(sql, "pg_try_advisory_lock")
}

func gives(sql string) bool { return strings.Contains(strings.ToLower(sql), "pg_advisory_unlock") }

func tellLent(sql string) string {
	return fmt.Sprintf("%s locks for the session of a connection that the application's pool may lend to another request meanwhile, which then has the lock as well; "+
		"that was not tried: take pg_advisory_xact_lock in the transaction, or look with ccheck stress --app", sql)
}
