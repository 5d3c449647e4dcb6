package rowlockorder

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// batch is one INSERT … ON CONFLICT of many rows, which waits for each row that
// another one has, in the order of its list.
type batch struct {
	random bool     // the order of a map, and not that of the caller
	by     flow.Pos // the caller that made the list, when the function itself did not
}

// batched finds such a statement, when its list is in no order of its own.
func batched(w stmt.Stmt) (batch, bool) {
	kind := conflict(w)
	if kind == "" || len(w.Site) > 1 || ordered(w) {
		return batch{}, false
	}
	own := listOf(w.Event)
	if own.Shuffled {
		return batch{random: true}, true
	}
	callers := w.Sum.Seen(w.I)
	for _, c := range callers {
		if e := &c.Events[c.Index]; !c.Folded && listOf(e).Shuffled {
			return batch{random: true, by: e.Site[0]}, true
		}
	}
	inOrder := func(c flow.Context) bool { return listOf(&c.Events[c.Index]).Sorted || fetched(c.Summary, c.Index) }
	if own.As == 0 || own.Sorted || kind != "update" || fetched(w.Sum, w.I) || slices.ContainsFunc(callers, inOrder) {
		return batch{}, false
	}
	return batch{}, len(callers) > 0 || w.Sum.Closed()
}

// conflict is what an INSERT does with rows that are there, "" when it does not ask.
func conflict(w stmt.Stmt) string {
	for _, t := range w.Acc.Tables {
		if t.Kind == sqlread.Insert && t.OnConflict != "" {
			return t.OnConflict
		}
	}
	return ""
}

// listOf is the order of the rows of an INSERT: of a list of structures, or of the
// lists that unnest puts side by side.
func listOf(e *flow.Event) flow.Order {
	if e.Val.Order != (flow.Order{}) {
		return e.Val.Order
	}
	if strings.Contains(strings.ToLower(e.SQL), "unnest") || e.Named && len(e.Args) > 0 {
		for _, v := range e.Args {
			if v.Order != (flow.Order{}) {
				return v.Order
			}
		}
	}
	return flow.Order{}
}

// fetched reports whether the rows come out of a query that puts them in order.
func fetched(s *flow.Summary, i int) bool {
	return slices.ContainsFunc(append(s.Events[i].Args[:len(s.Events[i].Args):len(s.Events[i].Args)], s.Events[i].Val), func(v flow.Value) bool {
		return slices.ContainsFunc(v.From, func(p flow.Part) bool { return p.Event >= 0 && orderBy.MatchString(s.Events[p.Event].SQL) })
	})
}

func batchStory(w stmt.Stmt, b batch) flow.Found {
	order := "as they were handed in: two calls with rows in common"
	if b.random {
		order = "in the order of a map, which is another one each time: two of them"
	}
	f := flow.Found{
		At: w.Site[0], Severity: "medium",
		Message: strings.Join([]string{
			"one statement locks many rows " + order + " can wait for each other (40P01)",
			"A: " + w.Text + "   -- row 1, then waits for row 2",
			"B: " + w.Text + "   -- row 2, then waits for row 1",
			"Fix: sort the rows by their key before the statement; retry on 40P01",
		}, "\n"),
	}
	if b.by.File != "" {
		f.Related = []flow.Note{{At: b.by, Text: "a caller makes the list of a map here"}}
	}
	return f
}
