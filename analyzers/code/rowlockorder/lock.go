package rowlockorder

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// lock is what a statement holds until its transaction ends.
type lock struct {
	table string // or advisory
	keys  []key  // none: it is not known which rows
}

// key is one column by which a row is named, with its value.
type key struct {
	column string
	flow.Value
}

// locks are the first row lock or advisory lock that a statement waits for.
func locks(w stmt.Stmt) (lock, bool) {
	if w.Acc.Advisory && strings.Contains(strings.ToLower(w.Text), "pg_advisory_xact_lock") {
		if len(w.Args) == 0 {
			return lock{}, false
		}
		return lock{"the advisory lock", []key{{Value: w.Args[len(w.Args)-1]}}}, true
	}
	for i := range w.Acc.Tables {
		t := &w.Acc.Tables[i]
		if keys := upserted(w, t); len(keys) > 0 {
			return lock{t.Name, keys}, true
		}
		waits := t.Kind == sqlread.Lock || t.Kind == sqlread.Update || t.Kind == sqlread.Delete
		if !waits || t.Lock < sqlread.NoKeyUpdate && t.Kind == sqlread.Lock || t.SkipLocked || t.NoWait {
			continue
		}
		l := lock{table: t.Name}
		for _, k := range stmt.Keys(t) {
			if v := w.Arg(k.Values[0]); v.Root != flow.Const {
				l.keys = append(l.keys, key{flow.Column(k.Column), v})
			}
		}
		return l, true
	}
	return lock{}, false
}

// upserted is the key of a row that INSERT … ON CONFLICT (key) DO UPDATE waits
// for, when another transaction has it.
func upserted(w stmt.Stmt, t *sqlread.Table) []key {
	if t.Kind != sqlread.Insert || t.OnConflict != "update" || len(t.Rows) == 0 {
		return nil
	}
	var keys []key
	for i, into := range t.Into {
		column := flow.Column(into)
		if i >= len(t.Rows[0]) || !slices.ContainsFunc(t.Target, func(c string) bool { return flow.Column(c) == column }) {
			continue
		}
		if v := w.Arg(t.Rows[0][i]); v.Root != flow.Const {
			keys = append(keys, key{column, v})
		}
	}
	return keys
}

// elementOf reports whether a part of the key is taken from what the loop ranges
// over.
func (l lock) elementOf(loop flow.Loop) bool {
	return slices.ContainsFunc(l.keys, func(k key) bool { return element(k.Value, loop.Over) })
}

// sameRow reports whether two locks are surely on one row.
func (l lock) sameRow(o lock) bool {
	return l.table == o.table && slices.EqualFunc(l.keys, o.keys, func(a, b key) bool { return a.column == b.column && a.Same(b.Desc) }) && len(l.keys) > 0
}

// apart are the two values in which the keys of two locks differ, when it is one
// column alone.
func apart(l, o lock) (a, b flow.Desc, one bool) {
	if len(l.keys) != len(o.keys) {
		return a, b, false
	}
	for i, k := range l.keys {
		switch other := o.keys[i]; {
		case k.column != other.column:
			return a, b, false
		case k.String() != other.String():
			if one {
				return a, b, false
			}
			a, b, one = k.Desc, other.Desc, true
		}
	}
	return a, b, one
}

// born reports whether the transaction has inserted the row that a lock names, or
// the one that it belongs to.
func born(s *flow.Summary, l lock) bool {
	return slices.ContainsFunc(l.keys, func(k key) bool {
		return slices.ContainsFunc(k.From, func(p flow.Part) bool { return p.Event >= 0 && inserts(s, p.Event) })
	})
}
