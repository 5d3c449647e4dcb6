package mend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
)

// phantom lets an index say no, where the rule is that there is one row. A lock
// on the rows themselves does not help: those that it would have to lock do not
// exist.
func (m *mender) phantom() []report.Fix {
	var fixes []report.Fix
	if f, ok := m.exclusion(); ok {
		fixes = append(fixes, f)
	} else if f, ok := m.index(); ok {
		fixes = append(fixes, f)
	}
	if f, ok := m.parent(); ok {
		fixes = append(fixes, f)
	} else if f, ok := m.lockReferenced(); ok {
		fixes = append(fixes, f)
	}
	return append(fixes, m.serializable()...)
}

// exclusion is for checks that ask whether ranges overlap.
func (m *mender) exclusion() (report.Fix, bool) {
	t := m.a.Missed.From.Access()
	var parts []string
	overlaps := false
	for _, p := range t.Preds {
		switch {
		case p.Op == "=" && p.Func == "":
			parts = append(parts, name(p.Column)+" WITH =")
		case p.Op == "expr" && strings.Contains(p.Text, "&&"):
			parts = append(parts, name(p.Column)+" WITH &&")
			overlaps = true
		}
	}
	if !overlaps {
		return report.Fix{}, false
	}
	return report.Fix{
		Kind: report.Constraint, Title: "Let the table refuse what overlaps",
		SQL: fmt.Sprintf("CREATE EXTENSION IF NOT EXISTS btree_gist;\nALTER TABLE %s ADD CONSTRAINT %s EXCLUDE USING gist (%s)",
			name(t.Name), name(t.Name+"_no_overlap"), strings.Join(parts, ", ")),
		Note: "answer 23P01 with a refusal; right at every isolation level",
	}, true
}

// index makes unique what the check asked for, or what the claim groups by.
// Where neither says that there may be one row only, such as a limit of three
// or a sum, there is no index to make.
func (m *mender) index() (report.Fix, bool) {
	t := m.a.Missed.From.Access()
	known := m.unique.Table == t.Name || m.a.SawNothing()
	if !m.inserts(t.Name) || !known && !m.a.CountedNothing() {
		return report.Fix{}, false
	}
	cols, only := m.asked(t)
	if m.unique.Table == t.Name && (t.Limited || len(cols) == 0 || m.ranged(t)) {
		cols, only = m.unique.Columns, nil
	}
	if len(cols) == 0 || t.Limited && m.unique.Table != t.Name {
		return report.Fix{}, false
	}
	sql := fmt.Sprintf("CREATE UNIQUE INDEX ON %s (%s)", name(t.Name), strings.Join(cols, ", "))
	if len(only) > 0 {
		sql += " WHERE " + strings.Join(only, " AND ")
	}
	note := "answer 23505 with a refusal, or INSERT … ON CONFLICT DO NOTHING and look at the row count; right at every isolation level"
	if t.Limited || m.ranged(t) {
		note = "on 23505 start over from BEGIN and take the next value; right at every isolation level"
	}
	f := report.Fix{Kind: report.Constraint, Title: "Let a unique index refuse the second one", SQL: sql, Note: note}
	if !known {
		f.Title += ", where one is the limit"
	}
	return f, true
}

// inserts reports whether the reader adds rows to the table itself.
func (m *mender) inserts(table string) bool {
	for n := range m.a.Reader.Stmts {
		if slices.ContainsFunc(m.a.Reader.Stmts[n].Access.Tables, func(t sqlread.Table) bool { return t.Kind == sqlread.Insert && t.Name == table }) {
			return true
		}
	}
	return false
}

// cascade keeps rows that refer to a row from going away with it.
func (m *mender) cascade() []report.Fix {
	t := m.a.Back.To.Access()
	for _, p := range t.Preds {
		parent, key, ok := m.schema.Parent(t.Name, p.Column)
		if !ok {
			continue
		}
		fixes := []report.Fix{{
			Kind: report.Constraint, Title: "Let the foreign key refuse the DELETE while rows refer to the row",
			Note: fmt.Sprintf("ON DELETE NO ACTION in the place of CASCADE for %s (%s); answer 23503 with a refusal; right at every isolation level", name(t.Name), name(p.Column)),
		}}
		if m.a.Reader.Level == lanes.ReadCommitted {
			fixes = append(fixes, report.Fix{
				Kind: report.Pessimistic, Title: "Lock the row before looking for rows that refer to it",
				SQL:  fmt.Sprintf("SELECT %s FROM %s WHERE %s = :%s FOR UPDATE", name(key), name(parent), name(key), key),
				Note: "first statement of the transaction that deletes; an insert that refers to the row waits for it; right at READ COMMITTED",
			})
		}
		return append(fixes, m.serializable()...)
	}
	return m.serializable()
}

// ranged reports whether the read asked for the highest value so far.
func (m *mender) ranged(t *sqlread.Table) bool {
	return slices.ContainsFunc(m.a.Missed.From.Statement().Access.Outputs, func(o sqlread.Output) bool {
		text := strings.ToLower(o.Text)
		return strings.Contains(text, "max(") || strings.Contains(text, "min(")
	})
}

// asked are the columns that a check compared with values, and the conditions
// that are part of the statement.
func (m *mender) asked(t *sqlread.Table) (cols, only []string) {
	for _, p := range t.Preds {
		switch {
		case p.Op != "=" || len(p.Values) != 1:
		case p.Values[0].Kind == sqlread.Param:
			cols = append(cols, column(p))
		case p.Values[0].Kind == sqlread.Literal && m.fixed(p):
			only = append(only, column(p)+" = "+literal(p.Values[0].Text))
		case p.Values[0].Kind == sqlread.Literal:
			cols = append(cols, column(p))
		}
	}
	if len(cols) == 0 {
		return nil, nil
	}
	return cols, only
}

// fixed reports whether a literal is part of the statement and not a value
// that a client wrote into it: a state or a flag.
func (m *mender) fixed(p sqlread.Pred) bool {
	return len(m.a.Missed.From.Statement().Begin.Args) > 0
}

// parent changes a row that both lock, so that a stale snapshot fails; a lock
// alone lets the loser look at the past.
func (m *mender) parent() (report.Fix, bool) {
	if m.a.Reader.Level == lanes.ReadCommitted {
		return report.Fix{}, false
	}
	for n := range m.a.Missed.From.Stmt {
		s := &m.a.Reader.Stmts[n]
		for i := range s.Access.Tables {
			t := &s.Access.Tables[i]
			if t.Kind != sqlread.Lock || t.Name == m.a.Missed.From.Access().Name || m.key(t) == "" {
				continue
			}
			col := "version"
			for _, v := range versions {
				if m.schema.Type(t.Name, v) != "" {
					col = v
				}
			}
			return report.Fix{
				Kind: report.Pessimistic, Title: "Change the parent row instead of only locking it",
				SQL:  fmt.Sprintf("UPDATE %s SET %s = %s + 1 WHERE %s", name(t.Name), col, col, m.key(t)),
				Note: "first statement of both; a snapshot that is older then fails with 40001: start over from BEGIN",
			}, true
		}
	}
	return report.Fix{}, false
}

// lockReferenced makes both lock the row that their new rows refer to.
func (m *mender) lockReferenced() (report.Fix, bool) {
	t := m.a.Missed.From.Access()
	if m.a.Reader.Level != lanes.ReadCommitted {
		return report.Fix{}, false
	}
	for _, p := range t.Preds {
		parent, key, ok := m.schema.Parent(t.Name, p.Column)
		if !ok || p.Op != "=" || p.Func != "" {
			continue
		}
		return report.Fix{
			Kind: report.Pessimistic, Title: "Lock the row that the new rows refer to before looking",
			SQL:  fmt.Sprintf("SELECT %s FROM %s WHERE %s = :%s FOR NO KEY UPDATE", name(key), name(parent), name(key), p.Column),
			Note: "first statement of every transaction that adds such rows; right at READ COMMITTED only, above it the look that follows is at an old snapshot",
		}, true
	}
	return report.Fix{}, false
}
