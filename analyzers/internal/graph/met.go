package graph

import (
	"slices"
	"strconv"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// Met returns where a transaction that the server rolled back met another one:
// the access of the other one that stood in the way of the statement that
// failed. Exact says that both name the row, or that the server's lock table
// named the other one.
func Met(schema *lanes.Schema, failed, other *lanes.Txn) (e Edge, exact, ok bool) {
	n := failing(failed)
	if n < 0 {
		return Edge{}, false, false
	}
	best := -1
	for i := range failed.Stmts[n].Access.Tables {
		for m := range other.Stmts {
			for j := range other.Stmts[m].Access.Tables {
				x, y := End{failed, n, i}, End{other, m, j}
				meet, row := schema.Meet(x.Statement(), i, y.Statement(), j)
				if !meet || !clashes(x, y) {
					continue
				}
				rank := 0
				if row || y.Access().Kind == sqlread.Insert {
					rank = 1
				}
				if rank > best {
					best, e = rank, Edge{Kind: kindOf(x, y), From: y, To: x, Row: row, Sure: row}
				}
			}
		}
	}
	if best < 0 {
		return Edge{}, false, false
	}
	return e, best > 0 || waited(failed, n, other), true
}

// failing returns the statement that the server answered with an error, the
// last one when it was the COMMIT, or -1.
func failing(t *lanes.Txn) int {
	n := slices.IndexFunc(t.Stmts, func(s lanes.Stmt) bool { return s.Failed() })
	if n < 0 || len(t.Stmts[n].Access.Tables) > 0 {
		return n
	}
	for n > 0 && len(t.Stmts[n].Access.Tables) == 0 {
		n--
	}
	return n
}

// clashes reports whether one of the two has to wait for the other, or reads
// what it changes.
func clashes(x, y End) bool {
	a, b := x.Access(), y.Access()
	if a.Kind == sqlread.Insert && b.Kind == sqlread.Insert {
		return sqlread.Rows(a, b, x.Statement().Arg, y.Statement().Arg) == sqlread.Equal
	}
	return a.Lock.Conflicts(b.Lock) || a.Kind.Writes() || b.Kind.Writes()
}

func kindOf(x, y End) string {
	switch {
	case x.Access().Kind.Writes() && y.Access().Kind.Writes():
		return "ww"
	case y.Access().Kind.Writes():
		return "wr"
	}
	return "rw"
}

// waited reports whether a sample saw the statement wait for the other lane.
func waited(t *lanes.Txn, n int, other *lanes.Txn) bool {
	for _, w := range t.Stmts[n].Waits {
		for _, a := range w.Args {
			if a.Text == strconv.Itoa(other.Process) {
				return true
			}
		}
	}
	return false
}
