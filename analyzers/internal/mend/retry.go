package mend

import (
	"fmt"
	"maps"
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
	if f, ok := tableFirst(a); ok {
		return []report.Fix{f}
	}
	var list []report.Fix
	for _, mend := range []func(*lanes.Schema, *lanes.Txn, *lanes.Txn) (report.Fix, bool){tables, order, keys} {
		if f, ok := mend(schema, a, b); ok {
			list = append(list, f)
		}
	}
	return list
}

// tableFirst takes the lock of a table before that of a row of it.
func tableFirst(t *lanes.Txn) (report.Fix, bool) {
	for n := range t.Stmts {
		s := &t.Stmts[n]
		if !s.WholeTable() || len(s.Access.Tables) == 0 {
			continue
		}
		table := s.Access.Tables[0].Name
		if slices.ContainsFunc(t.Stmts[:n], func(e lanes.Stmt) bool {
			return slices.ContainsFunc(e.Access.Tables, func(a sqlread.Table) bool { return a.Name == table })
		}) {
			return report.Fix{
				Kind: report.Order, Title: fmt.Sprintf("Lock table %s before anything else is done with it", table), SQL: s.Begin.Stmt.SQL,
				Note: "its first statement takes a lock of the table already, which is in the way of everybody else who wants to lock it whole",
			}, true
		}
	}
	return report.Fix{}, false
}

// tables has both come to two tables in one order.
func tables(schema *lanes.Schema, a, b *lanes.Txn) (report.Fix, bool) {
	first, other := locked(a), locked(b)
	for i, x := range first {
		for _, y := range first[i+1:] {
			if k, n := slices.Index(other, y), slices.Index(other, x); k < 0 || k > n {
				continue
			}
			x, y := min(x, y), max(x, y)
			f := tableOrder([]string{x, y})
			if len(schema.Key(x)) == 1 && len(schema.Key(y)) == 1 && max(rows(schema, a, x), rows(schema, a, y), rows(schema, b, x), rows(schema, b, y)) < 2 {
				f.SQL = lockRow(schema, x) + "\n" + lockRow(schema, y)
				f.Note = "the first statements of every transaction that changes both; or put its statements into this order; the retry stays necessary"
			}
			return f, true
		}
	}
	return report.Fix{}, false
}

// InOrder returns the order for a circle over rows of tables of which no more is
// known, as of a server that is watched; none for one table without a key.
func InOrder(schema *lanes.Schema, tables []string) []report.Fix {
	if len(tables) > 1 {
		return []report.Fix{tableOrder(tables)}
	}
	if len(tables) == 0 {
		return nil
	}
	if key := schema.Key(tables[0]); len(key) == 1 {
		return []report.Fix{rowOrder(tables[0], key[0])}
	}
	return []report.Fix{{
		Kind: report.Order, Title: "Lock the rows in one order in every transaction",
		Note: fmt.Sprintf("by the key of %s: sort them in the application, or lock them first by a SELECT … ORDER BY … FOR UPDATE; the retry stays necessary", tables[0]),
	}}
}

func tableOrder(tables []string) report.Fix {
	return report.Fix{
		Kind: report.Order, Title: fmt.Sprintf("Come to %s in every transaction", strings.Join(tables, " before ")),
		Note: "put the statements of every transaction that changes rows of them into this order; the retry stays necessary",
	}
}

func rowOrder(table, key string) report.Fix {
	return report.Fix{
		Kind: report.Order, Title: "Lock the rows in the order of their keys before touching any",
		SQL:  fmt.Sprintf("SELECT %s FROM %s WHERE %s IN (:first, :second) ORDER BY %s FOR UPDATE", key, name(table), key, key),
		Note: "first statement of every transaction that changes several rows; the retry stays necessary",
	}
}

// lockRow locks a row of a table by its key.
func lockRow(schema *lanes.Schema, table string) string {
	where := "…"
	if key := schema.Key(table); len(key) == 1 {
		where = name(key[0]) + " = :" + key[0]
	}
	return fmt.Sprintf("SELECT 1 FROM %s WHERE %s FOR UPDATE;", name(table), where)
}

// keys has both insert in the order of the unique key.
func keys(schema *lanes.Schema, a, b *lanes.Txn) (report.Fix, bool) {
	mine, theirs := inserts(a), inserts(b)
	for _, table := range slices.Sorted(maps.Keys(mine)) {
		if mine[table] > 1 && theirs[table] > 1 && len(schema.Key(table)) > 0 {
			return report.Fix{
				Kind: report.Order, Title: "Insert the rows in the order of their unique key",
				Note: fmt.Sprintf("sort them before the loop that inserts into %s, or give them to one INSERT … SELECT … ORDER BY: whoever comes to the first key second waits there, and holds nothing that the other one needs", table),
			}, true
		}
	}
	return report.Fix{}, false
}

// inserts counts the inserts of a transaction by table.
func inserts(t *lanes.Txn) map[string]int {
	all := map[string]int{}
	for n := range t.Stmts {
		for i := range t.Stmts[n].Access.Tables {
			if a := &t.Stmts[n].Access.Tables[i]; a.Kind == sqlread.Insert {
				all[a.Name]++
			}
		}
	}
	return all
}

// order locks all rows of one table first, by key.
func order(schema *lanes.Schema, a, b *lanes.Txn) (report.Fix, bool) {
	for _, table := range locked(a) {
		key := schema.Key(table)
		if len(key) != 1 || !slices.Contains(locked(b), table) || rows(schema, a, table) < 2 || rows(schema, b, table) < 2 {
			continue
		}
		return rowOrder(table, key[0]), true
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

// rows are how many rows of a table a transaction locks, as far as 2: so many may
// be those of a statement that names no row.
func rows(schema *lanes.Schema, t *lanes.Txn, table string) int {
	seen := map[string]bool{}
	for n := range t.Stmts {
		for i := range t.Stmts[n].Access.Tables {
			a := &t.Stmts[n].Access.Tables[i]
			if a.Name == table && a.Lock != sqlread.NoLock && a.Kind != sqlread.Insert {
				row, ok := schema.Row(&t.Stmts[n], i)
				if !ok {
					return 2
				}
				seen[row] = true
			}
		}
	}
	return min(len(seen), 2)
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
				if parent := parentKey(schema, a.Name, t, n); parent != "" {
					return report.Fix{
						Kind: report.Pessimistic, Title: fmt.Sprintf("Lock the row of %s before the insert that refers to it", parent),
						SQL:  lockRow(schema, parent),
						Note: fmt.Sprintf("the foreign key takes FOR KEY SHARE on it, and a DELETE, or an UPDATE of a column in a unique index, wants FOR UPDATE later; an UPDATE of %s that leaves such columns alone gets along with it", parent),
					}, true
				}
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

// parentKey returns the table that an earlier insert refers to and of which the
// key changes later, or a row goes; "" when there is none.
func parentKey(schema *lanes.Schema, child string, t *lanes.Txn, n int) string {
	for k := n + 1; k < len(t.Stmts); k++ {
		for i := range t.Stmts[k].Access.Tables {
			a := &t.Stmts[k].Access.Tables[i]
			keyed := slices.ContainsFunc(a.Writes, func(w sqlread.Write) bool { return schema.Keyed(a.Name, w.Column) })
			if schema.RefersTo(child, a.Name) && (a.Kind == sqlread.Delete || a.Kind == sqlread.Update && keyed) {
				return a.Name
			}
		}
	}
	return ""
}

// parentLock returns the statement that locks, FOR UPDATE, the row that an
// earlier insert refers to, with the weaker lock in place; "" when there is none.
func parentLock(schema *lanes.Schema, child string, t *lanes.Txn, n int) string {
	for k := n + 1; k < len(t.Stmts); k++ {
		for i := range t.Stmts[k].Access.Tables {
			a := &t.Stmts[k].Access.Tables[i]
			if a.Kind == sqlread.Lock && a.Lock == sqlread.ForUpdate && schema.RefersTo(child, a.Name) {
				return relock(&t.Stmts[k], a, sqlread.NoKeyUpdate)
			}
		}
	}
	return ""
}
