package rowsaffected

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// Pairing is the judgement, for the step that sees the whole program.
var Pairing = flow.Pairing{Name: "rowsaffected", Judge: judge}

// Analyzer reports conditional writes whose row count nobody looks at.
var Analyzer = &analysis.Analyzer{
	Name:     "rowsaffected",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      flow.Run(Pairing),
}

func judge(s *flow.Summary) []flow.Found {
	if s.Generated || stmt.Migration(s) {
		return nil
	}
	all := stmt.All(s)
	var out []flow.Found
	for _, w := range all {
		if w.Op != libs.Exec || len(w.Site) > 1 || w.Async || looked(s, w) {
			continue
		}
		for i := range w.Acc.Tables {
			t := &w.Acc.Tables[i]
			if g, ok := guard(t); ok && (g.lost || effects(all, w, t.Kind)) {
				out = append(out, story(w, t, g))
				break
			}
		}
	}
	return out
}

// looked reports whether the function or one of its callers looks at the count,
// or hands it to somebody who is not in sight.
func looked(s *flow.Summary, w stmt.Stmt) bool {
	if compared(s, w.I) || len(w.Acc.Outputs) > 0 {
		return true
	}
	last := true // nobody in sight calls this function
	for _, c := range s.Seen(w.I) {
		if compared(c.Summary, c.Index) {
			return true
		}
		last = false
	}
	if handed(s, w.I) {
		return last || slices.ContainsFunc(s.Seen(w.I), func(c flow.Context) bool { return handed(c.Summary, c.Index) })
	}
	return stmt.Asked(s, w.I, func(a flow.Ask) bool { return a.Text == "n" })
}

func compared(s *flow.Summary, event int) bool {
	return stmt.Asked(s, event, func(a flow.Ask) bool { return a.Text == "compare" && strings.HasPrefix(a.Source.Path, ".n") })
}

// handed reports whether a result of the function is the answer itself.
func handed(s *flow.Summary, event int) bool {
	for _, r := range s.Results {
		if slices.ContainsFunc(r, func(p flow.Part) bool {
			return p.Event == event && (p.Source.Path == "" || p.Source.Path == ".n" || strings.HasPrefix(p.Source.Path, ".n"))
		}) {
			return true
		}
	}
	return false
}

// condition is the part of a WHERE that can fail because somebody was faster.
type condition struct {
	text string
	lost bool // what the caller wanted is lost without a word
}

// guard finds the condition that decides whether the write happens: on a column
// that the write changes.
func guard(t *sqlread.Table) (condition, bool) {
	if t.Kind == sqlread.Insert && t.OnConflict == "nothing" {
		return condition{"the row is new", false}, true
	}
	if t.Kind != sqlread.Update || !keyed(t) {
		return condition{}, false
	}
	for _, p := range t.Preds {
		w, ok := written(t, p.Column)
		if !ok || p.Op == "notnull" {
			continue
		}
		switch {
		case w.Kind == sqlread.Relative && p.Op != "=" && p.Op != "in", w.Kind == sqlread.Computed && p.Op != "=":
			return condition{p.Text, true}, true
		case w.Kind == sqlread.Relative && p.Op == "=": // version = $n … SET version = version + 1
			return condition{p.Text, true}, true
		case w.Kind == sqlread.Absolute:
			return condition{p.Text, false}, true
		}
	}
	return condition{}, false
}

// keyed reports whether the write is about one thing that the caller names, and
// not about all that are in some state.
func keyed(t *sqlread.Table) bool {
	return slices.ContainsFunc(stmt.Keys(t), func(p sqlread.Pred) bool {
		_, w := written(t, p.Column)
		return !w && p.Op == "=" && p.Values[0].Kind == sqlread.Param
	})
}

func written(t *sqlread.Table, column string) (sqlread.Write, bool) {
	i := slices.IndexFunc(t.Writes, func(w sqlread.Write) bool { return w.Column == column })
	if i < 0 || column == "" {
		return sqlread.Write{}, false
	}
	return t.Writes[i], true
}

// effects reports whether the function goes on to write something else, as if
// the write had happened: to move a state twice is harmless, to pay twice is
// not. After an insert only a sum that is raised counts: rows of other tables
// are often put beside it in the same way.
func effects(all []stmt.Stmt, w stmt.Stmt, kind sqlread.Kind) bool {
	for _, o := range all {
		if o.I == w.I || !w.Sum.After(w.I, o.I) || o.Deferred || w.Sum.After(o.I, w.I) {
			continue
		}
		for i := range o.Acc.Tables {
			t := &o.Acc.Tables[i]
			if t.Kind == sqlread.Insert && t.OnConflict == "" && kind != sqlread.Insert || t.Kind == sqlread.Update && slices.ContainsFunc(t.Writes, func(x sqlread.Write) bool { return x.Kind == sqlread.Relative }) {
				return !slices.ContainsFunc(w.Acc.Tables, func(x sqlread.Table) bool { return sqlread.Same(&x, t) && !another(w, &x, o, t) })
			}
		}
	}
	return false
}

// another reports whether a new row of the table is not the one that the write was
// about: what that was sought by gets another argument of the caller.
func another(w stmt.Stmt, sought *sqlread.Table, o stmt.Stmt, row *sqlread.Table) bool {
	if row.Kind != sqlread.Insert || len(row.Rows) == 0 {
		return false
	}
	return slices.ContainsFunc(stmt.Keys(sought), func(p sqlread.Pred) bool {
		i := slices.IndexFunc(row.Into, func(c string) bool { return flow.Column(c) == flow.Column(p.Column) })
		if i < 0 || i >= len(row.Rows[0]) {
			return false
		}
		a, b := w.Arg(p.Values[0]), o.Arg(row.Rows[0][i])
		return a.Root == flow.Param && b.Known() && !a.Same(b.Desc)
	})
}

func verb(t *sqlread.Table) string { return strings.ToUpper(t.Kind.String()) }

func story(w stmt.Stmt, t *sqlread.Table, g condition) flow.Found {
	severity := "medium"
	if g.lost {
		severity = "high"
	}
	return flow.Found{
		At:       w.Site[0],
		Severity: severity,
		Message: strings.Join([]string{
			fmt.Sprintf("this %s does nothing unless %s, and nobody looks at the number of rows: the caller goes on as if it had worked", verb(t), g.text),
			"A: " + w.Text + "   -- 1 row",
			"B: " + w.Text + "   -- 0 rows, no error",
			"Fix: look at RowsAffected() and refuse when it is 0, or add RETURNING and treat no row as a refusal",
		}, "\n"),
	}
}
