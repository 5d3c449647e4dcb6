package sqlcheckact

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// lookedAgain: between an earlier read and the write stands a read that asks the
// same and that is guarded together with the write, as in double-checked
// locking. What the earlier one saw decides nothing.
func (c *candidate) lookedAgain() bool {
	beside := c.beside()
	for _, again := range beside {
		if again.I == c.check.I || again.I == c.act.I || !c.act.Sum.After(c.check.I, again.I) || !c.act.Sum.After(again.I, c.act.I) {
			continue
		}
		for i := range again.Acc.Tables {
			n := &candidate{all: beside, check: again, act: c.act, read: &again.Acc.Tables[i], write: c.write}
			if n.read.Kind.Writes() || !sqlread.Same(n.read, n.write) || !asksAll(n.read, c.read) {
				continue
			}
			if n.why = n.reason(); n.why != none && (n.heldTogether() || n.serial() || n.rowLocked() || n.settled()) {
				return true
			}
		}
	}
	return false
}

// beside are the statements of the call that writes, or of the function itself
// when it writes without one.
func (c *candidate) beside() []stmt.Stmt {
	var all []stmt.Stmt
	for _, o := range c.all {
		if len(o.Site) > 1 == (len(c.act.Site) > 1) && (len(o.Site) == 1 || o.Site[0] == c.act.Site[0]) {
			all = append(all, o)
		}
	}
	return all
}

// asksAll reports whether a read names every column that another one names.
func asksAll(a, b *sqlread.Table) bool {
	for _, p := range stmt.Keys(b) {
		if !slices.ContainsFunc(a.Preds, func(q sqlread.Pred) bool { return flow.Column(q.Column) == flow.Column(p.Column) }) {
			return false
		}
	}
	return true
}
