package mend

import (
	"fmt"
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

// state returns the condition by which the read chose one row of many, when the
// write makes it untrue: status = 'queued'.
func (m *mender) state() (sqlread.Pred, bool) {
	read, write := m.a.Missed.From.Access(), m.a.Back.To.Access()
	if read.Kind != sqlread.Select || !read.Limited || read.Aggregate || read.Sub || read.Lock != 0 || read.Name != write.Name {
		return sqlread.Pred{}, false
	}
	for _, p := range read.Preds {
		if p.Op == "=" && len(p.Values) == 1 && write.Sets(p.Column) {
			return p, true
		}
	}
	return sqlread.Pred{}, false
}

// chosen mends a row that was chosen by its state in a statement of its own.
func (m *mender) chosen(state sqlread.Pred, where string) []report.Fix {
	t, read := m.a.Back.To.Access(), m.a.Missed.From.Statement()
	guard := name(state.Column) + " = " + placeholder(state)
	if text, ok := resolve(m.a.Missed.From, state.Values[0]); ok {
		guard = name(state.Column) + " = " + literal(text)
	}
	sql := strings.TrimRight(read.Begin.Stmt.SQL, "; \n\t")
	return []report.Fix{{
		Kind: report.Atomic, Title: "Change the state only where it is still the one that was seen",
		SQL:  fmt.Sprintf("UPDATE %s SET %s = :new_%s WHERE %s AND %s", name(t.Name), name(state.Column), state.Column, where, guard),
		Note: m.retryNote("0 rows: somebody was faster, choose another row; write the changed columns alone, not the whole row"),
	}, {
		Kind: report.Pessimistic, Title: "Lock the row where it is chosen",
		SQL:  lanes.Template(read.Access, sql+" FOR UPDATE SKIP LOCKED"),
		Note: m.retryNote("in the transaction that changes it; no row: nothing is left"),
	}}
}

// subquery locks the row first, so that the statement which computes begins
// after the wait.
func (m *mender) subquery() []report.Fix {
	t := m.a.Back.To.Access()
	where := m.key(t)
	if where == "" || m.a.Reader.Level != lanes.ReadCommitted {
		return m.serializable()
	}
	return append([]report.Fix{{
		Kind: report.Pessimistic, Title: "Lock the row in a statement of its own, and compute in the next one",
		SQL:  fmt.Sprintf("SELECT 1 FROM %s WHERE %s FOR UPDATE", name(t.Name), where),
		Note: "before everything that the subquery reads; right at READ COMMITTED only; or add what this transaction changes to the value that is there",
	}}, m.serializable()...)
}

// primary reads where the write will be.
func (m *mender) primary() report.Fix {
	return report.Fix{
		Kind: report.Route, Title: "Read on the primary what a write depends on",
		Note: "in the transaction that writes, with the lock or the condition that the write needs; a replica is for what is only shown",
	}
}

// chosenFirst locks the row that an effect depends on before the effect.
func (m *mender) chosenFirst() []report.Fix {
	read, t := m.a.Missed.From.Statement(), m.a.Missed.From.Access()
	if t.Kind != sqlread.Select || t.Aggregate || t.Sub || t.Tail <= 0 || t.Tail > len(read.Begin.Stmt.SQL) {
		return nil
	}
	lock := " FOR UPDATE"
	if t.Limited {
		lock += " SKIP LOCKED"
	}
	sql := read.Begin.Stmt.SQL
	return []report.Fix{{
		Kind: report.Pessimistic, Title: "Lock the row before anything leaves the database",
		SQL:  lanes.Template(read.Access, sql[:t.Tail]+lock+sql[t.Tail:]),
		Note: m.retryNote("and write before the effect, so that the error comes first; a crash between the two still leaves the effect without its mark"),
	}}
}

// outside claims the key before anything leaves the database.
func (m *mender) outside() []report.Fix {
	e := m.a.Missed.To
	if e.Access().Kind != sqlread.Insert && m.a.Back.From.Access().Kind != sqlread.Insert {
		return m.chosenFirst()
	}
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
	if ins.Kind != sqlread.Insert {
		return m.replaced()
	}
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

// replaced writes the row in place where it was deleted and inserted again.
func (m *mender) replaced() []report.Fix {
	t, added := m.a.Back.To.Access(), m.a.Missed.To.Access()
	cols, _ := m.asked(t)
	if len(cols) == 0 || len(added.Into) == 0 {
		return m.serializable()
	}
	var sets []string
	for _, c := range added.Into {
		if !contains(cols, name(c)) {
			sets = append(sets, name(c)+" = EXCLUDED."+name(c))
		}
	}
	key := strings.Join(cols, ", ")
	fix := report.Fix{
		Kind: report.Constraint, Title: "Let there be one row, and change it in place", SQL: fmt.Sprintf("CREATE UNIQUE INDEX ON %s (%s)", name(t.Name), key),
	}
	if len(sets) > 0 {
		fix.Note = "and in the place of DELETE and INSERT: " + insert(added) + " ON CONFLICT (" + key + ") DO UPDATE SET " + strings.Join(sets, ", ")
	}
	return append([]report.Fix{fix}, m.serializable()...)
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
