package mend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
)

// claim locks the row where it is chosen.
func (m *mender) claim() []report.Fix {
	e := m.a.Missed.From
	sql := e.Statement().Begin.Stmt.SQL
	tail := e.Access().Tail
	if tail <= 0 || tail > len(sql) {
		return nil
	}
	return []report.Fix{{
		Kind: report.Pessimistic, Title: "Lock the row in the subquery that chooses it",
		SQL:  lanes.Template(e.Statement().Access, sql[:tail]+" FOR UPDATE SKIP LOCKED"+sql[tail:]),
		Note: m.retryNote("0 rows: nothing is left to claim"),
	}}
}

// outside claims the key before anything leaves the database.
func (m *mender) outside() []report.Fix {
	e := m.a.Missed.To
	if e.Access().Kind != sqlread.Insert {
		e = m.a.Back.From
	}
	t := e.Access()
	if t.Kind != sqlread.Insert || len(t.Into) == 0 {
		return nil
	}
	target := m.schema.Key(t.Name)
	return []report.Fix{{
		Kind: report.Atomic, Title: "Claim the key and commit the claim before anything leaves the database",
		SQL:  insert(t) + conflict(target) + ";\nCOMMIT;",
		Note: "go on only when one row was inserted; then do the effect, then mark it done; no isolation level helps, since the effect is not rolled back",
	}}
}

// insert writes the INSERT with placeholders.
func insert(t *sqlread.Table) string {
	var cols, vals []string
	for n, c := range t.Into {
		if len(t.Rows) > 0 && n >= len(t.Rows[0]) {
			break
		}
		cols = append(cols, name(c))
		vals = append(vals, ":"+c)
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", name(t.Name), strings.Join(cols, ", "), strings.Join(vals, ", "))
}

func conflict(target []string) string {
	if len(target) == 0 {
		return " ON CONFLICT DO NOTHING"
	}
	return " ON CONFLICT (" + strings.Join(target, ", ") + ") DO NOTHING"
}

// split makes two statements of one, so that the second one has a snapshot of
// its own.
func (m *mender) split() []report.Fix {
	read, ins := m.a.Missed.From.Access(), m.a.Back.To.Access()
	where := m.key(read)
	if where == "" || m.a.Reader.Level != lanes.ReadCommitted {
		return nil
	}
	cols := strings.Join(m.schema.Key(read.Name), ", ")
	if cols == "" {
		cols = "*"
	}
	return []report.Fix{{
		Kind: report.Atomic, Title: "Insert and select in two statements",
		SQL:  fmt.Sprintf("%s%s;\nSELECT %s FROM %s WHERE %s;", insert(ins), conflict(ins.Target), cols, name(read.Name), where),
		Note: "the second statement sees what the first one waited for; right at READ COMMITTED",
	}}
}

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
	if m.unique.Table != t.Name && !m.a.SawNothing() {
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
	return report.Fix{Kind: report.Constraint, Title: "Let a unique index refuse the second one", SQL: sql, Note: note}, true
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

// order marks rows instead of remembering how far one has read.
func (m *mender) order() []report.Fix {
	t := m.a.Missed.From.Access().Name
	key := m.schema.Key(t)
	if len(key) != 1 {
		return nil
	}
	flag, sql := "", ""
	if known := m.schema.Table(t); known != nil {
		for n, c := range known.Columns {
			if n < len(known.Types) && known.Types[n] == "boolean" {
				flag = c
				break
			}
		}
	}
	if flag == "" {
		flag = "sent"
		sql = fmt.Sprintf("ALTER TABLE %s ADD COLUMN sent boolean NOT NULL DEFAULT false;\n", name(t))
	}
	sql += fmt.Sprintf("UPDATE %s SET %s = true WHERE %s IN (SELECT %s FROM %s WHERE NOT %s ORDER BY %s FOR UPDATE SKIP LOCKED) RETURNING *",
		name(t), flag, key[0], key[0], name(t), flag, key[0])
	return []report.Fix{{
		Kind: report.Atomic, Title: "Mark each row instead of keeping a cursor", SQL: sql,
		Note: "or keep the cursor below the oldest running transaction (pg_snapshot_xmin); no isolation level helps",
	}}
}

// snapshot gives both reads one snapshot.
func (m *mender) snapshot() []report.Fix {
	if m.a.Reader.Level != lanes.ReadCommitted {
		return nil
	}
	return []report.Fix{{
		Kind: report.Isolation, Title: "Read from one snapshot, with a retry",
		SQL: "BEGIN ISOLATION LEVEL REPEATABLE READ;", Note: "on 40001 start over from BEGIN",
	}}
}
