package rowlockorder

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// Pairing is the judgement, for the step that sees the whole program.
var Pairing = flow.Pairing{Name: "rowlockorder", Judge: judge}

// Analyzer reports row locks in an order that the caller chooses.
var Analyzer = &analysis.Analyzer{
	Name:     "rowlockorder",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      flow.RunEditing(Pairing, edit),
}

func judge(s *flow.Summary) []flow.Found {
	if s.Generated || stmt.Migration(s) {
		return nil
	}
	all := stmt.All(s)
	var out []flow.Found
	for _, w := range all {
		if b, ok := batched(w); ok && !retriedOnDeadlock(w) {
			out = append(out, batchStory(w, b))
			continue
		}
		l, ok := locks(w)
		if !ok || !inTx(w) || covered(all, w) || retriedOnDeadlock(w) {
			continue
		}
		switch {
		case len(w.Site) == 1 && listed(w, l):
			out = append(out, listStory(w))
		case looped(w, l):
			out = append(out, loopStory(w, l))
		default:
			if first, ok := second(all, w, l); ok {
				out = append(out, twoStory(first, w, l))
			}
		}
	}
	return append(out, circles(s, all)...)
}

// inTx reports whether the statement surely runs in a transaction of several.
func inTx(w stmt.Stmt) bool {
	begin, known := w.Tx()
	return w.Handle == libs.Tx || known && begin != nil || strings.HasSuffix(w.Call, "pgx/v5.Batch).Queue") // a batch is one transaction
}

// deadlock is the question for the error of the transaction that the server ends.
var deadlock = regexp.MustCompile(`^=40P01$`)

// retriedOnDeadlock reports whether the transaction of a statement is run again
// when the server ends it: then the order costs time and no work.
func retriedOnDeadlock(w stmt.Stmt) bool {
	if begin, _ := w.Tx(); begin != nil {
		return stmt.Retried(w.Sum, w.On.N, deadlock) || stmt.RetriedByCallers(w.Sum, w.On.N, deadlock)
	}
	return stmt.RetriedByCallers(w.Sum, w.I, deadlock)
}

// covered reports whether the transaction took a lock before that puts all such
// transactions in a row: a common row, or the same rows in order.
func covered(all []stmt.Stmt, w stmt.Stmt) bool {
	return slices.ContainsFunc(all, func(o stmt.Stmt) bool {
		if o.I == w.I || !w.Sum.After(o.I, w.I) || w.Sum.After(w.I, o.I) || !stmt.SameHandle(o.Event, w.Event) {
			return false
		}
		if len(o.Loop) > 0 {
			return inOrder(o, w)
		}
		if o.Acc.Advisory {
			return !strings.Contains(w.Text, "pg_advisory")
		}
		return slices.ContainsFunc(o.Acc.Tables, func(t sqlread.Table) bool {
			return t.Kind == sqlread.Lock && t.Lock >= sqlread.NoKeyUpdate && (ordered(o) || different(&t, w)) || parent(o, &t, w)
		})
	})
}

// inOrder reports whether a loop over a sorted list has locked rows of the table
// before.
func inOrder(o, w stmt.Stmt) bool {
	l, ok := locks(o)
	return ok && len(w.Loop) == 0 && slices.ContainsFunc(o.Loop, func(x flow.Loop) bool { return l.elementOf(x) && sorted(o.Sum, o.I, x) }) &&
		slices.ContainsFunc(w.Acc.Tables, func(t sqlread.Table) bool { return t.Name == l.table })
}

// parent reports whether a statement has changed a row of another table that the
// rows of w belong to: all that come with these rows wait there.
func parent(o stmt.Stmt, t *sqlread.Table, w stmt.Stmt) bool {
	l, ok := locks(w)
	return ok && t.Kind == sqlread.Update && different(t, w) && slices.ContainsFunc(stmt.Keys(t), func(p sqlread.Pred) bool {
		v := o.Arg(p.Values[0])
		return v.Root != flow.Const && slices.ContainsFunc(l.keys, func(k key) bool { return k.Same(v.Desc) })
	})
}

// different reports whether the lock is on another table than those of the
// statement: a parent that stands for its children.
func different(t *sqlread.Table, w stmt.Stmt) bool {
	return !slices.ContainsFunc(w.Acc.Tables, func(o sqlread.Table) bool { return sqlread.Same(&o, t) })
}

var orderBy = regexp.MustCompile(`(?i)\border\s+by\b`)

func ordered(w stmt.Stmt) bool { return orderBy.MatchString(w.Text) || orderBy.MatchString(w.SQL) }

// listed: SELECT … IN (…) FOR UPDATE without an order.
func listed(w stmt.Stmt, l lock) bool {
	if ordered(w) || w.Op != libs.Query && w.Op != libs.Exec {
		return false
	}
	for i := range w.Acc.Tables {
		t := &w.Acc.Tables[i]
		if t.Kind != sqlread.Lock || t.Sub {
			continue
		}
		for _, p := range t.Preds {
			if p.Op == "in" && (len(p.Values) > 1 || len(p.Values) == 1 && p.Values[0].Array) || hole(w, p) {
				return true
			}
		}
	}
	return false
}

// hole reports whether an IN has a list that is only known when the program runs.
func hole(w stmt.Stmt, p sqlread.Pred) bool {
	return (p.Op == "in" || p.Op == "expr") && regexp.MustCompile(`(?i)\bin\s*\(?\s*(\?|ccheck_hole)`).MatchString(p.Text) && !strings.Contains(p.Text, ",")
}

// looped: one row each time around a loop of this function that is inside of
// the transaction.
func looped(w stmt.Stmt, l lock) bool {
	if born(w.Sum, l) {
		return false
	}
	for i, loop := range w.Loop {
		if loop.In != w.Sum.Name && !strings.HasPrefix(loop.In, w.Sum.Name+"$") || loop.Own || i < depth(w) {
			continue
		}
		if l.elementOf(loop) && !sorted(w.Sum, w.I, loop) {
			return !sortedByCallers(w, loop)
		}
	}
	return false
}

// depth is the number of loops around the transaction.
func depth(w stmt.Stmt) int {
	if begin, _ := w.Tx(); begin != nil {
		return len(begin.Loop)
	}
	return 0
}

// second finds the statement that locks another row of the table before, when
// the two keys are two arguments of the function.
func second(all []stmt.Stmt, w stmt.Stmt, l lock) (stmt.Stmt, bool) {
	s := w.Sum
	if has(all, w, l) {
		return stmt.Stmt{}, false
	}
	for _, o := range all {
		if !s.After(o.I, w.I) || !s.Local(o.I, w.I) || !stmt.SameHandle(o.Event, w.Event) {
			continue
		}
		first, ok := locks(o)
		if !ok || first.table != l.table {
			continue
		}
		a, b, one := apart(first, l)
		if one && argument(a) && argument(b) && sameKind(s, a, b) && !compared(w.Event, a, b) && !ranked(all, w, l.table, a, b) {
			return o, true
		}
	}
	return stmt.Stmt{}, false
}

// has reports whether the transaction holds the row already.
func has(all []stmt.Stmt, w stmt.Stmt, l lock) bool {
	return slices.ContainsFunc(all, func(o stmt.Stmt) bool {
		held, ok := locks(o)
		return ok && o.I != w.I && w.Sum.After(o.I, w.I) && !w.Sum.After(w.I, o.I) && held.sameRow(l)
	})
}

// ranked reports whether the smaller or the larger of the two was locked before:
// whoever comes with the two has to wait there.
func ranked(all []stmt.Stmt, w stmt.Stmt, table string, a, b flow.Desc) bool {
	return slices.ContainsFunc(all, func(o stmt.Stmt) bool {
		held, ok := locks(o)
		return ok && held.table == table && w.Sum.After(o.I, w.I) && slices.ContainsFunc(held.keys, func(k key) bool {
			of := func(d flow.Desc) bool { return slices.ContainsFunc(k.Args, d.Same) }
			return k.Root == flow.Expr && (k.Name == "min" || k.Name == "max") && of(a) && of(b)
		})
	})
}

// argument reports whether a value is as the caller gave it.
func argument(d flow.Desc) bool { return d.Root == flow.Param && d.Known() }

// sameKind reports whether two arguments can be exchanged: they have one type,
// or are fields of one.
func sameKind(s *flow.Summary, a, b flow.Desc) bool {
	if a.Path != "" || b.Path != "" {
		return a.Path != b.Path && a.Path != "" && b.Path != "" || a.N != b.N && a.Path == b.Path
	}
	return a.N < len(s.Params) && b.N < len(s.Params) && s.Params[a.N] == s.Params[b.N]
}

// compared reports whether the statement is reached only after the two keys were
// compared.
func compared(w *flow.Event, a, b flow.Desc) bool {
	seen := func(d flow.Desc) bool {
		return slices.ContainsFunc(w.Conds, func(c flow.Cond) bool {
			return c.Event < 0 && c.Param == d.N && c.Source.Path == d.Path && (strings.ContainsAny(c.Text, "<>") || c.Text == "")
		})
	}
	return seen(a) && seen(b)
}
