package sqlcheckact

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// claimedInside finds a statement that is a check-then-act by itself:
//
//	UPDATE jobs SET status = 'running'
//	WHERE id = (SELECT id FROM jobs WHERE status = 'queued' LIMIT 1) RETURNING id
//
// An UPDATE that has waited for another looks at its own WHERE again, with the new
// row, and not at the subquery (manual of PostgreSQL, 13.2.1): both get the row.
func claimedInside(all []stmt.Stmt, act stmt.Stmt) (candidate, bool) {
	if len(act.Acc.Outputs) == 0 || act.Acc.Advisory || !near(act) {
		return candidate{}, false
	}
	for i := range act.Acc.Tables {
		write := &act.Acc.Tables[i]
		if write.Kind != sqlread.Update || write.Sub || unnamed(write) || len(stmt.Keys(write)) > 0 {
			continue
		}
		for k := range act.Acc.Tables {
			read := &act.Acc.Tables[k]
			column := state(read, write)
			if !read.Sub || read.Kind != sqlread.Select || read.Aggregate || !sqlread.Same(read, write) || column == "" {
				continue
			}
			c := candidate{all: all, check: act, act: act, read: read, write: write, why: claimed, named: column}
			return c, !c.lockedInGo() && !c.serial() && !c.rowLocked()
		}
	}
	return candidate{}, false
}

// near reports whether the function has the statement itself, or calls it by the
// name that sqlc has given it.
func near(act stmt.Stmt) bool {
	return len(act.Site) == 1 || len(act.Site) == 2 && strings.HasSuffix(act.Site[1].File, ".sql.go")
}

// state is the column by which the subquery chooses rows, and which the update sets
// so that it would not choose them again; "" when the update asks for it itself.
func state(read, write *sqlread.Table) string {
	for _, p := range read.Preds {
		if asksAgain(write, p.Column) {
			return ""
		}
	}
	for _, p := range read.Preds {
		for _, w := range write.Writes {
			if flow.Column(w.Column) == flow.Column(p.Column) && w.Kind == sqlread.Absolute && leaves(p, w.Value) {
				return w.Column
			}
		}
	}
	return ""
}

func asksAgain(write *sqlread.Table, column string) bool {
	return slices.ContainsFunc(write.Preds, func(p sqlread.Pred) bool { return flow.Column(p.Column) == flow.Column(column) && p.Op != "expr" })
}

// leaves reports whether a row with the new value no longer meets the condition.
func leaves(p sqlread.Pred, v sqlread.Value) bool {
	null := v.Kind == sqlread.Literal && strings.EqualFold(v.Text, "null")
	switch p.Op {
	case "=", "in":
		return !slices.ContainsFunc(p.Values, func(o sqlread.Value) bool { return o.Kind == v.Kind && o.Text == v.Text })
	case "null":
		return !null
	case "notnull":
		return null
	case "<", "<=":
		return v.Kind != sqlread.Literal
	}
	return false
}

// chosenStory tells the race that is inside of one statement.
func (c *candidate) chosenStory() flow.Found {
	f := flow.Found{
		At:       c.act.Site[0],
		Severity: "high",
		Message: strings.Join([]string{
			"a row of " + c.write.Name + " is chosen by " + c.named + " in a subquery, and the UPDATE around it does not ask again: two callers can both get the row",
			"A: " + c.act.Text + "   -- the row",
			"B: " + c.act.Text + "   -- waits for A, and gets the same row: the subquery is not run again",
			"Fix, best first: FOR UPDATE SKIP LOCKED at the end of the subquery, or FOR UPDATE; the condition on " + c.named + " again in the WHERE of the UPDATE, and no row taken for nothing to do",
		}, "\n"),
	}
	if len(c.act.Site) > 1 {
		f.Related = []flow.Note{{At: c.act.Inner(), Text: "the statement is here"}}
	}
	return f
}
