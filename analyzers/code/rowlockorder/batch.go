package rowlockorder

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// batched reports whether one INSERT … ON CONFLICT writes many rows in the order
// of a map: it waits for each row that another one has, in that order. by is the
// caller that made the list, when the function itself did not.
func batched(w stmt.Stmt) (by flow.Pos, ok bool) {
	upserts := slices.ContainsFunc(w.Acc.Tables, func(t sqlread.Table) bool { return t.Kind == sqlread.Insert && t.OnConflict != "" })
	if !upserts || len(w.Site) > 1 {
		return flow.Pos{}, false
	}
	if shuffled(w.Event) {
		return flow.Pos{}, true
	}
	for _, c := range w.Sum.Seen(w.I) {
		if e := &c.Events[c.Index]; !c.Folded && shuffled(e) {
			return e.Site[0], true
		}
	}
	return flow.Pos{}, false
}

// shuffled reports whether the rows of an INSERT come in the order of a map.
func shuffled(e *flow.Event) bool {
	if e.Val.Shuffled {
		return true
	}
	return strings.Contains(strings.ToLower(e.SQL), "unnest") && slices.ContainsFunc(e.Args, func(v flow.Value) bool { return v.Shuffled })
}

func batchStory(w stmt.Stmt, by flow.Pos) flow.Found {
	f := flow.Found{
		At: w.Site[0], Severity: "medium",
		Message: strings.Join([]string{
			"one statement locks many rows in the order of a map, which is another one each time: two of them can wait for each other (40P01)",
			"A: " + w.Text + "   -- row 1, then waits for row 2",
			"B: " + w.Text + "   -- row 2, then waits for row 1",
			"Fix: sort the rows by their key before the statement; retry on 40P01",
		}, "\n"),
	}
	if by.File != "" {
		f.Related = []flow.Note{{At: by, Text: "a caller makes the list of a map here"}}
	}
	return f
}
