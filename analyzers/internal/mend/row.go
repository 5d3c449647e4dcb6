package mend

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/graph"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
)

// row mends a row that was read, decided on and written.
func (m *mender) row() []report.Fix {
	var fixes []report.Fix
	write, ok := m.write()
	where := m.key(m.a.Back.To.Access())
	if state, ok := m.state(); ok && where != "" {
		return m.chosen(state, where)
	}
	if f, ok := m.upsert(); ok {
		return append(fixes, f)
	}
	switch back, missed := m.a.Back.To.Access(), m.a.Missed.To.Access(); {
	case back.Kind == sqlread.Delete && back.Sub:
		return m.cascade()
	case missed.Kind == sqlread.Insert && missed.OnConflict != "update":
		return m.phantom() // what was not there yet has no version, and cannot be locked
	}
	if !ok || where == "" {
		return m.lock()
	}
	if f, ok := m.atomic(write, where); ok {
		fixes = append(fixes, f)
	}
	if f, ok := m.bound(write); ok {
		fixes = append(fixes, f)
	}
	fixes = append(fixes, m.version(write, where))
	return append(fixes, m.lock()...)
}

// upsert adds to the row that is there, where a value from an earlier read was
// put over it.
func (m *mender) upsert() (report.Fix, bool) {
	t := m.a.Back.To.Access()
	if t.Kind != sqlread.Insert || len(t.Writes) == 0 || len(t.Target) == 0 {
		return report.Fix{}, false
	}
	var sets []string
	for _, w := range t.Writes {
		set := name(w.Column) + " = " + w.Text
		if w.Kind == sqlread.Absolute && m.schema.Numeric(t.Name, w.Column) {
			set = fmt.Sprintf("%s = %s.%[1]s + EXCLUDED.%[1]s", name(w.Column), name(t.Name))
		}
		sets = append(sets, set)
	}
	return report.Fix{
		Kind: report.Atomic, Title: "Change the row that is there in place",
		SQL:  insert(t) + " ON CONFLICT (" + strings.Join(t.Target, ", ") + ") DO UPDATE SET " + strings.Join(sets, ", "),
		Note: m.retryNote("insert the change and not the new total, which comes from an earlier read"),
	}, true
}

// write returns the assignment that did the harm: of a column that was read,
// else the first one.
func (m *mender) write() (sqlread.Write, bool) {
	t := m.a.Back.To.Access()
	for _, w := range t.Writes {
		if slices.Contains(m.a.Missed.Columns, w.Column) {
			return w, true
		}
	}
	if len(t.Writes) == 0 {
		return sqlread.Write{}, false
	}
	return t.Writes[0], true
}

// atomic puts the check and the change into one statement.
func (m *mender) atomic(w sqlread.Write, where string) (report.Fix, bool) {
	t := m.a.Back.To.Access()
	set, guard := m.change(w)
	if set == "" {
		return report.Fix{}, false
	}
	f := report.Fix{
		Kind: report.Atomic, Title: "Change the value in place",
		SQL:  fmt.Sprintf("UPDATE %s SET %s WHERE %s", name(t.Name), set, where),
		Note: m.retryNote("the new value is computed from the row as it is"),
	}
	if guard != "" {
		f.Title = "Check and change in one statement"
		f.SQL += " AND " + guard
		f.Note = m.retryNote("look at the row count: 0 rows is the refusal, and the transaction must not go on")
	}
	return f, true
}

// change returns the assignment and the guard of the atomic statement, or "".
func (m *mender) change(w sqlread.Write) (set, guard string) {
	c := name(w.Column)
	if question := m.question(); question != "" && w.Kind == sqlread.Absolute && w.Value.Kind == sqlread.Param {
		return c + " = :" + w.Column, question
	}
	switch numeric := m.schema.Numeric(m.a.Back.To.Access().Name, w.Column); {
	case m.falls(w) && numeric && w.Sign == "+":
		return fmt.Sprintf("%s = %s + :change", c, c), c + " + :change >= 0"
	case m.falls(w) && numeric:
		return fmt.Sprintf("%s = %s - :amount", c, c), c + " >= :amount"
	case w.Kind == sqlread.Relative && numeric:
		if limit := m.limit(w); limit != "" {
			return fmt.Sprintf("%s = %s + :amount", c, c), fmt.Sprintf("%s + :amount <= %s", c, limit)
		}
		return "", ""
	case numeric && w.Kind == sqlread.Absolute:
		return m.delta(w)
	}
	return m.transition(w)
}

// falls reports whether a relative update made the value less: by its sign, or
// by the sign of what it added.
func (m *mender) falls(w sqlread.Write) bool {
	if w.Kind != sqlread.Relative {
		return false
	}
	added, ok := resolve(m.a.Back.To, w.Value)
	return (w.Sign == "-") != (ok && strings.HasPrefix(added, "-"))
}

// limit returns the other number that was read with the column, which is what
// an increment was compared with: "taken" with "cap".
func (m *mender) limit(w sqlread.Write) string {
	limit := ""
	for _, o := range m.a.Missed.From.Statement().Access.Outputs {
		if o.Column == "" || o.Column == w.Column || !m.schema.Numeric(m.a.Missed.From.Access().Name, o.Column) {
			continue
		}
		if limit != "" || contains(m.schema.Key(m.a.Missed.From.Access().Name), o.Column) {
			return ""
		}
		limit = name(o.Column)
	}
	return limit
}

// delta makes a relative update of an absolute one, in the direction in which
// the values of the record went.
func (m *mender) delta(w sqlread.Write) (set, guard string) {
	c := name(w.Column)
	before, ok := m.read(w.Column)
	after, ok2 := resolve(m.a.Back.To, w.Value)
	if !ok || !ok2 {
		return "", ""
	}
	x, ok := new(big.Rat).SetString(before)
	y, ok2 := new(big.Rat).SetString(after)
	switch {
	case !ok || !ok2 || x.Cmp(y) == 0:
		return "", ""
	case x.Cmp(y) > 0:
		return fmt.Sprintf("%s = %s - :amount", c, c), c + " >= :amount"
	}
	return fmt.Sprintf("%s = %s + :amount", c, c), ""
}

func (m *mender) read(column string) (string, bool) {
	texts, ok := m.a.Missed.From.Statement().Returned(m.a.Missed.From.Table, column, "")
	if !ok || len(texts) != 1 {
		return "", false
	}
	return texts[0], true
}

func resolve(e graph.End, v sqlread.Value) (string, bool) {
	texts, ok := v.Resolve(e.Statement().Arg)
	if !ok || len(texts) != 1 {
		return "", false
	}
	return texts[0], true
}

// transition guards a change of state by the state that was read, or by the
// question that was asked.
func (m *mender) transition(w sqlread.Write) (set, guard string) {
	constant := w.Value.Kind == sqlread.Literal || w.Value.Kind == sqlread.Expr && !strings.ContainsAny(w.Text, "$:?")
	if !constant {
		return "", ""
	}
	set = name(w.Column) + " = " + w.Text
	if before, ok := m.read(w.Column); ok {
		switch {
		case m.schema.Type(m.a.Back.To.Access().Name, w.Column) == "boolean" && before == "f":
			return set, "NOT " + name(w.Column)
		case m.schema.Type(m.a.Back.To.Access().Name, w.Column) == "boolean":
			return set, name(w.Column)
		}
		return set, name(w.Column) + " = " + literal(before)
	}
	if question := m.question(); question != "" {
		return set, question
	}
	return "", ""
}

// question returns the one boolean expression that was asked of the row, when
// the answer was yes.
func (m *mender) question() string {
	s := m.a.Missed.From.Statement()
	if len(s.Access.Outputs) != 1 || s.Access.Outputs[0].Table >= 0 || m.a.Missed.From.Access().Aggregate || s.End == nil ||
		len(s.End.Rows) != 1 || len(s.End.Rows[0]) != 1 || s.End.Rows[0][0].Text != "t" || strings.Contains(s.Access.Outputs[0].Text, "$") {
		return ""
	}
	return s.Access.Outputs[0].Text
}

// bound is a CHECK that a relative update cannot pass; an absolute one passes
// it while it loses money.
func (m *mender) bound(w sqlread.Write) (report.Fix, bool) {
	t := m.a.Back.To.Access().Name
	if !m.falls(w) || !m.schema.Numeric(t, w.Column) {
		return report.Fix{}, false
	}
	return report.Fix{
		Kind: report.Constraint, Title: "Let the table refuse what must not be",
		SQL:  fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %s CHECK (%s >= 0)", name(t), name(t+"_"+w.Column+"_not_negative"), name(w.Column)),
		Note: "answer 23514 with a refusal; keep the UPDATE relative",
	}, true
}

var versions = [...]string{"version", "lock_version", "row_version", "revision", "edition", "rev"}

// version lets a write fail when the row has changed since it was read.
func (m *mender) version(w sqlread.Write, where string) report.Fix {
	t := m.a.Back.To.Access().Name
	column, sql := "version", ""
	known := false
	for _, v := range versions {
		if m.schema.Type(t, v) != "" {
			column, known = v, true
			break
		}
	}
	if !known {
		sql = fmt.Sprintf("ALTER TABLE %s ADD COLUMN version bigint NOT NULL DEFAULT 0;\n", name(t))
	}
	sql += fmt.Sprintf("SELECT %s, %s FROM %s WHERE %s;\nUPDATE %s SET %s = :new_%s, %s = %s + 1 WHERE %s AND %s = :%s",
		name(w.Column), column, name(t), where, name(t), name(w.Column), w.Column, column, column, where, column, column)
	return report.Fix{
		Kind: report.Optimistic, Title: "Write only what nobody has changed since", SQL: sql,
		Note: m.retryNote("0 rows: somebody was faster, start over from BEGIN; every writer of the table must raise " + column),
	}
}

// lock reads the row under the lock that the write will need.
func (m *mender) lock() []report.Fix {
	read := m.a.Missed.From.Access()
	where, order := m.key(read), ""
	if where == "" {
		where, order = m.list(read)
	}
	if where == "" || read.Lock >= sqlread.NoKeyUpdate || read.Aggregate || read.Limited || m.a.Missed.To.Access().Kind == sqlread.Insert {
		return nil
	}
	strength, note := "FOR UPDATE", "before the decision"
	if m.schema.Referenced(read.Name) {
		strength, note = "FOR NO KEY UPDATE", "before the decision; FOR UPDATE would wait for every insert that refers to the row"
	}
	if order == "" && m.locksMore(read.Name) {
		note += "; lock all rows that the transaction changes in the order of their keys, or they deadlock"
	}
	return []report.Fix{{
		Kind: report.Pessimistic, Title: "Read the row under the lock that the write needs",
		SQL:  fmt.Sprintf("SELECT %s FROM %s WHERE %s%s %s", m.outputs(read), name(read.Name), where, order, strength),
		Note: m.retryNote(note),
	}}
}

// locksMore reports whether the reader writes other rows of the table as well.
func (m *mender) locksMore(table string) bool {
	rows := map[string]bool{}
	for n := range m.a.Reader.Stmts {
		s := &m.a.Reader.Stmts[n]
		for i := range s.Access.Tables {
			if t := &s.Access.Tables[i]; t.Name == table && t.Kind == sqlread.Update {
				row, _ := m.schema.Row(s, i)
				rows[row] = true
			}
		}
	}
	return len(rows) > 1
}

// outputs are the columns that the read asks for.
func (m *mender) outputs(t *sqlread.Table) string {
	var cols []string
	for _, o := range m.a.Missed.From.Statement().Access.Outputs {
		if o.Text != "" {
			cols = append(cols, o.Text)
		}
	}
	if len(cols) == 0 || strings.Contains(strings.Join(cols, ""), "$") {
		return strings.Join(t.Columns, ", ")
	}
	return strings.Join(cols, ", ")
}

// ignored asks for a look at the row count.
func (m *mender) ignored() []report.Fix {
	s, i := m.zero()
	if s == nil {
		return nil
	}
	t := &s.Access.Tables[i]
	f := report.Fix{
		Kind: report.Atomic, Title: "Let the row count of the " + strings.ToUpper(t.Kind.String()) + " decide",
		SQL:  lanes.Template(s.Access, s.Begin.Stmt.SQL),
		Note: m.retryNote("do it first; when it matches 0 rows somebody was faster: ROLLBACK and refuse"),
	}
	if len(s.Access.Outputs) == 0 {
		f.SQL += " RETURNING *"
	}
	return append([]report.Fix{f}, m.lock()...)
}

// zero returns the statement that changed nothing and was not looked at.
func (m *mender) zero() (*lanes.Stmt, int) {
	table := m.a.Missed.From.Access().Name
	for n := m.a.Missed.From.Stmt; n < len(m.a.Reader.Stmts); n++ {
		s := &m.a.Reader.Stmts[n]
		for i := range s.Access.Tables {
			if t := &s.Access.Tables[i]; t.Kind.Writes() && t.Name == table && !s.Effective(i) {
				return s, i
			}
		}
	}
	return nil, 0
}
