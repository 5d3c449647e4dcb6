package rowlockorder

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// order is two rows of different tables that one transaction locks, one after
// the other.
type order struct {
	first, then stmt.Stmt
	tables      [2]string
	before      []string // tables with rows that are locked before both
}

// orders are those that come together in this function.
func orders(all []stmt.Stmt) []order {
	var out []order
	for _, w := range all {
		l, ok := ownLock(w)
		if !ok {
			continue
		}
		for _, o := range all {
			first, ok := ownLock(o)
			if !ok || first.table == l.table || !w.Sum.After(o.I, w.I) || w.Sum.After(w.I, o.I) || !w.Sum.Local(o.I, w.I) || !stmt.SameHandle(o.Event, w.Event) {
				continue
			}
			if before := lockedBefore(all, o); !slices.Contains(before, l.table) {
				out = append(out, order{o, w, [2]string{first.table, l.table}, before})
			}
		}
	}
	return out
}

// ownLock is the row that a statement locks in a transaction, when others can
// lock it too: a row that the transaction has inserted is its own.
func ownLock(w stmt.Stmt) (lock, bool) {
	l, ok := locks(w)
	if !ok || len(l.keys) == 0 || w.Acc.Advisory || !inTx(w) {
		return lock{}, false
	}
	return l, !born(w.Sum, l)
}

func inserts(s *flow.Summary, event int) bool {
	e := &s.Events[event]
	return (e.Op == libs.Query || e.Op == libs.Exec) && slices.ContainsFunc(sqlread.Read(e.SQL).Tables, func(t sqlread.Table) bool { return t.Kind == sqlread.Insert })
}

// advisory stands for the table of an advisory lock.
const advisory = "pg_advisory_lock"

// lockedBefore are the tables of which the transaction holds rows when it comes
// to a statement. Two transactions that begin with one of them take turns.
func lockedBefore(all []stmt.Stmt, w stmt.Stmt) []string {
	var out []string
	for _, o := range all {
		if !w.Sum.After(o.I, w.I) || w.Sum.After(w.I, o.I) || !stmt.SameHandle(o.Event, w.Event) {
			continue
		}
		if o.Acc.Advisory {
			out = append(out, advisory)
		}
		for _, t := range o.Acc.Tables {
			if t.Lock >= sqlread.NoKeyUpdate {
				out = append(out, t.Name)
			}
		}
	}
	return out
}

// circles are the orders of this function that another one has the other way
// round. Of the two the later one in the source tells both.
func circles(s *flow.Summary, all []stmt.Stmt) []flow.Found {
	var out []flow.Found
	for _, o := range orders(all) {
		if !retriedOnDeadlock(o.then) {
			out = append(out, circle(s, o)...)
		}
	}
	return out
}

func circle(s *flow.Summary, o order) []flow.Found {
	for _, other := range s.Others() {
		if other.Folded || other.Generated || !neighbours(other.Pos, s.Pos) || !names(other, o.tables) || stmt.Migration(other) {
			continue
		}
		for _, r := range orders(stmt.All(other)) {
			if r.tables[0] == o.tables[1] && r.tables[1] == o.tables[0] && !common(o.before, r.before) && !retriedOnDeadlock(r.then) {
				return []flow.Found{circleStory(o, r)}
			}
		}
	}
	return nil
}

// neighbours reports whether a is before b in one package: tables of one name
// in two packages can belong to two programs.
func neighbours(a, b flow.Pos) bool {
	if filepath.Dir(a.File) != filepath.Dir(b.File) {
		return false
	}
	return a.File < b.File || a.File == b.File && a.Line < b.Line
}

// names reports whether statements of the function name both tables; it is asked
// of every function, and reading all their SQL would take too long.
func names(s *flow.Summary, tables [2]string) bool {
	for _, t := range tables {
		if !slices.ContainsFunc(s.Events, func(e flow.Event) bool { return strings.Contains(strings.ToLower(e.SQL), t) }) {
			return false
		}
	}
	return true
}

func common(a, b []string) bool {
	return slices.ContainsFunc(a, func(t string) bool { return slices.Contains(b, t) })
}

func circleStory(o, r order) flow.Found {
	return flow.Found{
		At: o.then.Site[0], Severity: "medium",
		Message: strings.Join([]string{
			fmt.Sprintf("a row of %s is locked after one of %s, and elsewhere it is the other way round: the two transactions can wait for each other (40P01)", o.tables[1], o.tables[0]),
			"A: " + o.first.Text,
			"B: " + r.first.Text,
			"A: " + o.then.Text + "   -- waits for B",
			"B: " + r.then.Text + "   -- waits for A",
			"Fix: one order of tables for all transactions; or lock a row that both have in common first; retry on 40P01",
		}, "\n"),
		Related: []flow.Note{
			{At: o.first.Site[0], Text: "the first row is locked here"},
			{At: r.then.Site[0], Text: "the other order: " + r.tables[1] + " after " + r.tables[0]},
		},
	}
}
