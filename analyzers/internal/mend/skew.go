package mend

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
)

// skew locks what the decision depends on, where that exists.
func (m *mender) skew() []report.Fix {
	var fixes []report.Fix
	miss, back := m.a.Missed, m.a.Back
	existing := miss.To.Access().Kind != sqlread.Insert && back.To.Access().Kind != sqlread.Insert
	switch {
	case existing && miss.From.Access().Name == miss.To.Access().Name:
		if f, ok := m.lockSet(miss.From.Access()); ok {
			fixes = append(fixes, f)
		}
	case m.a.Reader.Level == lanes.ReadCommitted:
		for _, e := range []*sqlread.Table{miss.From.Access(), back.From.Access()} {
			if f, ok := m.lockParent(e); ok {
				fixes = append(fixes, f)
				break
			}
		}
	}
	return append(fixes, m.serializable()...)
}

// lockSet locks every row of the read. Conditions that leave out the reader's
// own row go: with them two lanes lock each other's row and deadlock.
func (m *mender) lockSet(t *sqlread.Table) (report.Fix, bool) {
	key := m.schema.Key(t.Name)
	where := m.conditions(t)
	if where == "" || len(key) == 0 || !t.Exact {
		return report.Fix{}, false
	}
	cols := strings.Join(key, ", ")
	return report.Fix{
		Kind: report.Pessimistic, Title: "Lock the rows that the decision depends on, in one order, and count what the lock returned",
		SQL:  fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s FOR UPDATE", cols, name(t.Name), where, cols),
		Note: m.retryNote("first statement of the transaction; no aggregate beside FOR UPDATE"),
	}, true
}

func (m *mender) conditions(t *sqlread.Table) string {
	var parts []string
	for _, p := range t.Preds {
		if p.Op == "=" && len(p.Values) == 1 && (p.Values[0].Kind == sqlread.Param || p.Values[0].Kind == sqlread.Literal) {
			parts = append(parts, column(p)+" = "+placeholder(p))
		}
	}
	return strings.Join(parts, " AND ")
}

// lockParent makes both take the lock on one row before they look.
func (m *mender) lockParent(t *sqlread.Table) (report.Fix, bool) {
	key := m.schema.Key(t.Name)
	if len(key) == 0 || !has(t, key) {
		return report.Fix{}, false
	}
	return report.Fix{
		Kind: report.Pessimistic, Title: "Both lock the same row before they look",
		SQL:  fmt.Sprintf("SELECT %s FROM %s WHERE %s FOR UPDATE", strings.Join(key, ", "), name(t.Name), m.key(t)),
		Note: "first statement of both transactions; right at READ COMMITTED only, above it the look that follows is at an old snapshot",
	}, true
}
