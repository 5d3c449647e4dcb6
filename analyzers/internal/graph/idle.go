package graph

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// Idle reports whether the later of the two wrote what the earlier one had
// written already, by the same statement, and nothing else. That is a race, and
// one that leaves the rows as one of the two alone would have: it accounts for
// too many answers, and for wrong rows only where nothing else does.
func (a *Anomaly) Idle() bool {
	if a.Kind != LostUpdate && a.Kind != StaleCheck {
		return false
	}
	one, two := a.Back.From.Statement().Begin, a.Back.To.Statement().Begin
	same := one.Stmt.SQL == two.Stmt.SQL && slices.Equal(one.Args, two.Args)
	return same && constant(a.Back.To.Access()) && writesOf(a.Reader) == 1 && len(a.Reader.Outside) == 0
}

// constant reports whether an UPDATE sets values that do not depend on the row.
func constant(t *sqlread.Table) bool {
	return t.Kind == sqlread.Update && !slices.ContainsFunc(t.Writes, func(w sqlread.Write) bool { return w.Kind != sqlread.Absolute })
}

// writesOf counts the accesses of a transaction that changed rows.
func writesOf(t *lanes.Txn) int {
	n := 0
	for i := range t.Stmts {
		s := &t.Stmts[i]
		for k := range s.Access.Tables {
			if s.Access.Tables[k].Kind.Writes() && s.Effective(k) {
				n++
			}
		}
	}
	return n
}
