package sqlcheckact

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// upserts reports whether the function changes the row where it finds one and adds
// one where it finds none: whoever calls it wants the values to be there, and the
// error of a unique index is none of that.
func (c *candidate) upserts() bool {
	s := c.act.Sum
	return slices.ContainsFunc(c.all, func(o stmt.Stmt) bool {
		return s.After(c.check.I, o.I) && !s.After(o.I, c.act.I) && !s.After(c.act.I, o.I) && c.parted(o) && c.puts(o)
	})
}

// parted reports whether a branch on what the read answered leads to a statement one
// way, and to the insert the other.
func (c *candidate) parted(o stmt.Stmt) bool {
	return slices.ContainsFunc(o.Conds, func(d flow.Cond) bool {
		return d.Event == c.check.I && slices.ContainsFunc(c.act.Conds, func(e flow.Cond) bool {
			return e.Source == d.Source && e.Pos == d.Pos && (e.Test != d.Test || e.Yes != d.Yes)
		})
	})
}

// puts reports whether a statement changes a row of the table to a value that the
// insert would give it, and that somebody has brought along.
func (c *candidate) puts(o stmt.Stmt) bool {
	return slices.ContainsFunc(o.Acc.Tables, func(t sqlread.Table) bool {
		return t.Kind == sqlread.Update && sqlread.Same(&t, c.write) && slices.ContainsFunc(t.Writes, func(w sqlread.Write) bool {
			v := o.Arg(w.Value)
			if w.Kind != sqlread.Absolute || touch.MatchString(w.Column) || v.Root == flow.Const {
				return false
			}
			in, ok := c.inserted(w.Column)
			return ok && c.write.Into != nil && c.same(v, in) != different
		})
	})
}
