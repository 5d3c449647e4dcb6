package rowlockorder

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

func listStory(w stmt.Stmt) flow.Found {
	return flow.Found{At: w.Site[0], Severity: "medium", Message: strings.Join([]string{
		"the rows of this list are locked in the order in which the plan finds them: two transactions with rows in common can wait for each other (40P01)",
		"A: " + w.Text + "   -- has row 1, waits for row 2",
		"B: " + w.Text + "   -- has row 2, waits for row 1",
		"Fix: ORDER BY the key before FOR UPDATE",
	}, "\n"), Related: stmt.Within(w, "locked")}
}

func loopStory(w stmt.Stmt, l lock) flow.Found {
	order := "in the order in which the caller gave them"
	for _, loop := range w.Loop {
		if loop.Map {
			order = "in the order of a map, which is random"
		}
	}
	return flow.Found{At: w.Site[0], Severity: "medium", Message: strings.Join([]string{
		fmt.Sprintf("one transaction locks rows of %s %s: two of them can wait for each other (40P01)", l.table, order),
		"A: " + w.Text + "   -- row 1, then waits for row 2",
		"B: " + w.Text + "   -- row 2, then waits for row 1",
		"Fix: sort the keys before the loop, or write all rows with one statement after SELECT … ORDER BY key FOR UPDATE; retry on 40P01",
	}, "\n"), Related: stmt.Within(w, "locked")}
}

func twoStory(first, w stmt.Stmt, l lock) flow.Found {
	return flow.Found{
		At: w.Site[0], Severity: "medium",
		Message: strings.Join([]string{
			fmt.Sprintf("two rows of %s are locked in the order of two arguments: a call with them exchanged waits for this one, and this one for it (40P01)", l.table),
			"A: " + first.Text + "   -- row 1",
			"B: " + first.Text + "   -- row 2",
			"A: " + w.Text + "   -- row 2: waits for B",
			"B: " + w.Text + "   -- row 1: waits for A",
			"Fix: always lock the smaller key first, or both with one SELECT … WHERE key IN (…) ORDER BY key FOR UPDATE; retry on 40P01",
		}, "\n"),
		Related: append([]flow.Note{{At: first.Site[0], Text: "the first row is locked here"}}, stmt.Within(w, "locked")...),
	}
}
