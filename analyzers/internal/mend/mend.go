// Package mend writes the fixes of an anomaly as SQL for the tables of the
// record, in the order in which they should be tried: atomic statement,
// constraint, optimistic version, pessimistic lock, isolation level.
//
// It knows what is wrong at which level, and leaves such a fix out: a lock on
// rows that do not exist yet, a lock on a parent row before a look at an old
// snapshot, a level without a retry, any level at all for an effect outside of
// the database. When in doubt there is one fix less.
package mend

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/graph"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
)

// Fixes returns the fixes of an anomaly, best first. unique is what the broken
// claim groups by, if anything.
func Fixes(schema *lanes.Schema, a *graph.Anomaly, unique Unique) []report.Fix {
	m := mender{schema: schema, a: a, unique: unique}
	fixes := m.fixes()
	if a.OnReplica() {
		fixes = append(fixes, m.primary())
	}
	return fixes
}

// General is what can be said of an outcome that no serial order has and that
// no two transactions account for: what triggers do is in no record.
func General(level lanes.Level) []report.Fix {
	m := mender{a: &graph.Anomaly{Reader: &lanes.Txn{Level: level}}}
	return m.serializable()
}

func (m *mender) fixes() []report.Fix {
	switch m.a.Kind {
	case graph.LostUpdate, graph.StaleCheck:
		return m.row()
	case graph.RowIgnored:
		return m.ignored()
	case graph.ClaimTwice:
		return m.claim()
	case graph.StaleSubquery:
		return m.subquery()
	case graph.EffectOutside:
		return m.outside()
	case graph.SplitSnapshot:
		return m.split()
	case graph.Phantom:
		return m.phantom()
	case graph.WriteSkew:
		return m.skew()
	case graph.OutOfOrder:
		return m.order()
	case graph.ReadSkew:
		return m.snapshot()
	}
	return nil
}

type mender struct {
	schema *lanes.Schema
	a      *graph.Anomaly
	unique Unique
}

// retryNote is what every fix needs above READ COMMITTED.
func (m *mender) retryNote(note string) string {
	if m.a.Reader.Level == lanes.ReadCommitted {
		return note
	}
	return strings.TrimPrefix(note+"; the loser gets 40001 at "+m.a.Reader.Level.String()+": start over from BEGIN", "; ")
}

// key writes the conditions by which a statement names its row, with a
// placeholder for every value that is not part of the statement.
func (m *mender) key(t *sqlread.Table) string {
	var parts []string
	for _, p := range t.Preds {
		if p.Op != "=" || len(p.Values) != 1 || !p.Values[0].Known() {
			continue
		}
		if key := m.schema.Key(t.Name); len(key) > 0 && !contains(key, p.Column) && has(t, key) {
			continue
		}
		parts = append(parts, column(p)+" = "+placeholder(p))
	}
	return strings.Join(parts, " AND ")
}

// list writes the condition by which a statement names several rows by their
// keys, and the order in which every transaction should lock them.
func (m *mender) list(t *sqlread.Table) (where, order string) {
	key := m.schema.Key(t.Name)
	for _, p := range t.Preds {
		if p.Op == "in" && len(key) == 1 && p.Column == key[0] && p.Func == "" && t.Exact {
			return fmt.Sprintf("%s = ANY (:%ss)", name(p.Column), p.Column), " ORDER BY " + name(p.Column)
		}
	}
	return "", ""
}

// has reports whether the conditions name all columns of the key.
func has(t *sqlread.Table, key []string) bool {
	for _, k := range key {
		found := false
		for _, p := range t.Preds {
			found = found || p.Column == k && p.Op == "="
		}
		if !found {
			return false
		}
	}
	return true
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// column writes the column of a condition with its function.
func column(p sqlread.Pred) string {
	if p.Func != "" {
		return p.Func + "(" + name(p.Column) + ")"
	}
	return name(p.Column)
}

func placeholder(p sqlread.Pred) string {
	v := p.Values[0]
	text := ":" + p.Column
	if v.Kind == sqlread.Literal {
		text = literal(v.Text)
	}
	if v.Func != "" {
		return v.Func + "(" + text + ")"
	}
	return text
}

// literal writes a value of a statement as it was meant.
func literal(s string) string {
	if s == "t" || s == "f" {
		return map[string]string{"t": "true", "f": "false"}[s]
	}
	if strings.Trim(s, "0123456789.-") == "" && s != "" {
		return s
	}
	return lanes.Quote(s)
}

// name quotes a name that PostgreSQL would fold or take for something else.
func name(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// serializable is the fix that works for every cycle inside of the database.
func (m *mender) serializable() []report.Fix {
	if m.a.Reader.Level == lanes.Serializable {
		return nil
	}
	return []report.Fix{{
		Kind:  report.Isolation,
		Title: "Run every transaction that takes part at SERIALIZABLE, with a retry",
		SQL:   "BEGIN ISOLATION LEVEL SERIALIZABLE;",
		Note:  "all of them: one at a lower level is not seen; on 40001, which can come at COMMIT too, start over from BEGIN",
	}}
}
