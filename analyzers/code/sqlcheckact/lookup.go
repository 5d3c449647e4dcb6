package sqlcheckact

import (
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// lookedUp are the questions about the read that a branch asks by way of a table in
// memory: which states may follow the one that was read is what allowed[state] says,
// and with another state it would say something else.
func (c *candidate) lookedUp(d flow.Cond) []flow.Cond {
	if d.Event < 0 || d.Test != flow.Decides || c.act.Sum.Events[d.Event].Op != libs.MapGet {
		return nil
	}
	var out []flow.Cond
	for _, p := range c.act.Sum.Events[d.Event].Key.From {
		if p.Event == c.check.I && !isErr(p.Source.Path) {
			q := d
			q.Source, q.Text, q.Itself = p.Source, "", false
			q.Calc = true
			out = append(out, q)
		}
	}
	return out
}
