package sqlcheckact

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// unheard reports whether the function goes on when the database refuses the row: a
// unique key tells the second caller that it is the second, and what must happen once
// for each row happens for this one, too.
func (c *candidate) unheard() bool {
	s := c.act.Sum
	for i := range s.Events {
		e := &s.Events[i]
		if s.After(c.act.I, i) && !s.After(i, c.act.I) && slices.ContainsFunc(e.Conds, c.found) && !slices.ContainsFunc(e.Conds, c.heard) && c.costs(e, i) {
			return true
		}
	}
	return false
}

// found is a branch on whether there was a row.
func (c *candidate) found(d flow.Cond) bool {
	return d.Event == c.check.I && (d.Test == flow.Absent || d.Test == flow.Decides && !isErr(d.Path) && !strings.HasSuffix(d.Path, ".Error"))
}

// heard is any branch on how the write came out.
func (c *candidate) heard(d flow.Cond) bool { return d.Event == c.act.I }

// costs reports whether an event is a payment or a message, or a statement that adds
// something: one that the failure of the write has not ended as well.
func (c *candidate) costs(e *flow.Event, i int) bool {
	if e.Op == libs.Calls {
		return paid.MatchString(called(e)) && !stating.MatchString(called(e))
	}
	if begin, known := c.act.Tx(); stmt.SameHandle(c.act.Event, e) && (begin != nil || !known) {
		return false
	}
	return slices.ContainsFunc(c.all, func(o stmt.Stmt) bool { return o.I == i && c.adds(o) })
}

// called is the name of a method of an interface, or of the field or variable that
// holds a function.
func called(e *flow.Event) string {
	if e.Method != "" {
		return e.Method
	}
	return e.Call[strings.LastIndexByte(e.Call, '.')+1:]
}
