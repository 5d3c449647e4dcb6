package mend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
)

// Retry is the fix of a 40001 or 40P01 that reached the caller.
func Retry(sqlstate string) report.Fix {
	return report.Fix{
		Kind: report.Retry, Title: "Start the whole transaction over when the server says " + sqlstate,
		Note: "from BEGIN, with the reads and the decision, some times, with a short random wait; take 40001 and 40P01 alike; do nothing outside the database before the COMMIT",
	}
}

// Deadlock returns what keeps two transactions from waiting for each other:
// one order, or the strong lock first.
func Deadlock(schema *lanes.Schema, a, b *lanes.Txn) []report.Fix {
	if f, ok := upgrade(schema, a); ok {
		return []report.Fix{f}
	}
	if f, ok := order(schema, a, b); ok {
		return []report.Fix{f}
	}
	return nil
}

// order locks all rows of one table first, by key.
func order(schema *lanes.Schema, a, b *lanes.Txn) (report.Fix, bool) {
	for _, table := range locked(a) {
		key := schema.Key(table)
		if len(key) != 1 || !slices.Contains(locked(b), table) || rows(schema, a, table) < 2 && rows(schema, b, table) < 2 {
			continue
		}
		return report.Fix{
			Kind: report.Order, Title: "Lock the rows in the order of their keys before touching any",
			SQL:  fmt.Sprintf("SELECT %s FROM %s WHERE %s IN (:first, :second) ORDER BY %s FOR UPDATE", key[0], name(table), key[0], key[0]),
			Note: "first statement of every transaction that changes several rows; the retry stays necessary",
		}, true
	}
	return report.Fix{}, false
}

// locked are the tables of which a transaction locks or tries to lock rows.
func locked(t *lanes.Txn) []string {
	var names []string
	for n := range t.Stmts {
		for i := range t.Stmts[n].Access.Tables {
			a := &t.Stmts[n].Access.Tables[i]
			if a.Lock != sqlread.NoLock && a.Kind != sqlread.Insert && !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
		}
	}
	return names
}

func rows(schema *lanes.Schema, t *lanes.Txn, table string) int {
	seen := map[string]bool{}
	for n := range t.Stmts {
		for i := range t.Stmts[n].Access.Tables {
			a := &t.Stmts[n].Access.Tables[i]
			if a.Name == table && a.Lock != sqlread.NoLock && a.Kind != sqlread.Insert {
				row, _ := schema.Row(&t.Stmts[n], i)
				seen[row] = true
			}
		}
	}
	return len(seen)
}

// upgrade finds a row that is locked weakly, by FOR SHARE or by the foreign key
// of an insert, and then strongly in the same transaction.
func upgrade(schema *lanes.Schema, t *lanes.Txn) (report.Fix, bool) {
	for n := range t.Stmts {
		for i := range t.Stmts[n].Access.Tables {
			a := &t.Stmts[n].Access.Tables[i]
			switch {
			case a.Lock == sqlread.Share || a.Lock == sqlread.KeyShare:
				if later(t, n, a.Name, sqlread.NoKeyUpdate) {
					return stronger(t, n, a), true
				}
			case a.Kind == sqlread.Insert:
				if sql := parentLock(schema, a.Name, t, n); sql != "" {
					return report.Fix{
						Kind: report.Pessimistic, Title: "Do not lock the parent row FOR UPDATE after an insert that refers to it",
						SQL:  sql,
						Note: "the foreign key has taken FOR KEY SHARE on it, which gets along with FOR NO KEY UPDATE and with a plain UPDATE; or lock it before the insert",
					}, true
				}
			}
		}
	}
	return report.Fix{}, false
}

// later reports whether a later statement locks the table at least that strongly.
func later(t *lanes.Txn, n int, table string, s sqlread.Strength) bool {
	for k := n + 1; k < len(t.Stmts); k++ {
		for i := range t.Stmts[k].Access.Tables {
			if a := &t.Stmts[k].Access.Tables[i]; a.Name == table && a.Lock >= s && a.Kind != sqlread.Insert {
				return true
			}
		}
	}
	return false
}

func stronger(t *lanes.Txn, n int, a *sqlread.Table) report.Fix {
	return report.Fix{
		Kind: report.Pessimistic, Title: "Take the lock that the write will need at once", SQL: relock(&t.Stmts[n], a, sqlread.ForUpdate),
		Note: "two lanes that both hold " + a.Lock.String() + " wait for each other when they write",
	}
}

// relock writes the statement with another lock.
func relock(s *lanes.Stmt, a *sqlread.Table, strength sqlread.Strength) string {
	sql, old := lanes.Template(s.Access, s.Begin.Stmt.SQL), a.Lock.String()
	for i := len(sql) - len(old); i >= 0; i-- {
		if strings.EqualFold(sql[i:i+len(old)], old) {
			return sql[:i] + strength.String() + sql[i+len(old):]
		}
	}
	return sql
}

// parentLock returns the statement that locks, FOR UPDATE, the row that an
// earlier insert refers to, with the weaker lock in place; "" when there is none.
func parentLock(schema *lanes.Schema, child string, t *lanes.Txn, n int) string {
	for k := n + 1; k < len(t.Stmts); k++ {
		for i := range t.Stmts[k].Access.Tables {
			a := &t.Stmts[k].Access.Tables[i]
			if a.Kind != sqlread.Lock || a.Lock != sqlread.ForUpdate {
				continue
			}
			if schema.RefersTo(child, a.Name) {
				return relock(&t.Stmts[k], a, sqlread.NoKeyUpdate)
			}
		}
	}
	return ""
}
