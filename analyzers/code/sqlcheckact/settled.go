package sqlcheckact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// settled: the row gets a fixed state, who comes second is told the same as who
// came first, and nothing else hangs on the check. To set the state twice does
// no harm then: a row is hidden, or shown again.
func (c *candidate) settled() bool {
	if c.write.Kind != sqlread.Update || c.why != decision && (c.why != claimed || !c.asked()) || !c.fixed() {
		return false
	}
	asked := false
	for _, d := range c.conds() {
		if d.Test == flow.NoErr || d.Test == flow.Decides && strings.Contains(d.Path, ".err") || c.why == decision && !c.writes(c.column(d.Path)) {
			continue
		}
		if !d.Quiet || c.more(d) {
			return false
		}
		asked = true
	}
	return asked
}

// asked reports whether the caller named the row, and the read did not choose it
// as work that waits.
func (c *candidate) asked() bool {
	return slices.ContainsFunc(stmt.Keys(c.write), func(w sqlread.Pred) bool {
		return slices.ContainsFunc(stmt.Keys(c.read), func(r sqlread.Pred) bool {
			return flow.Column(w.Column) == flow.Column(r.Column) && c.same(c.check.Arg(r.Values[0]), c.act.Arg(w.Values[0])) == equal
		})
	})
}

// fixed reports whether the columns that the check is about get a constant, and
// no column gets anything that was read.
func (c *candidate) fixed() bool {
	return !slices.ContainsFunc(c.write.Writes, func(w sqlread.Write) bool {
		v := c.act.Arg(w.Value)
		about := flow.Column(w.Column) == flow.Column(c.named)
		read := slices.ContainsFunc(v.From, func(p flow.Part) bool { return p.Event == c.check.I })
		return w.Kind != sqlread.Absolute || about && !c.constant(v) || !about && read
	})
}

// constant reports whether a value depends on nothing that the function got. A
// field of the answer that was set keeps what was read among its sources.
func (c *candidate) constant(v flow.Value) bool {
	set := func(p flow.Part) bool { return p.Event < 0 && p.Param < 0 && p.Path == "" }
	other := func(p flow.Part) bool { return !set(p) && (p.Calc || p.Event != c.check.I) }
	return v.Root == flow.Const || slices.ContainsFunc(v.From, set) && !slices.ContainsFunc(v.From, other)
}

// more reports whether something else hangs on a branch that is not the same
// when it is done twice: another state for the row, a new row, a change by a
// number, a call that others notice.
func (c *candidate) more(d flow.Cond) bool {
	s := c.act.Sum
	for i := range s.Events {
		e := &s.Events[i]
		hangs := slices.ContainsFunc(e.Conds, func(o flow.Cond) bool { return o.Source == d.Source && o.Pos == d.Pos && o.Yes == d.Yes })
		if i == c.act.I || !hangs {
			continue
		}
		if noticed(e) || slices.ContainsFunc(c.all, func(o stmt.Stmt) bool { return o.I == i && c.adds(o) }) {
			return true
		}
	}
	return false
}

// noticed reports whether others see each time that an event happens.
func noticed(e *flow.Event) bool {
	switch e.Op {
	case libs.KVIncr, libs.KVClaim:
		return true
	}
	return e.Op == libs.Calls && e.Iface != "" && (paid.MatchString(e.Method) || e.Note != flow.Mute && !stating.MatchString(e.Method))
}

// paid are names of calls that are a matter of money or go to people, stating
// those of calls that read, or that leave the same when they are made twice.
var (
	paid    = regexp.MustCompile(`(?i)mail|pay|charge|refund|transfer|deliver|ship|grant|credit|sms|receipt`)
	stating = regexp.MustCompile(`^(?i)(get|find|list|load|count|is|has|check|can|fetch|read|update|set|put|save|delete|remove|sync|refresh|clear|log)`)
)

// adds reports whether a statement leaves something else the second time.
func (c *candidate) adds(o stmt.Stmt) bool {
	return slices.ContainsFunc(o.Acc.Tables, func(t sqlread.Table) bool {
		switch t.Kind {
		case sqlread.Insert:
			return t.OnConflict == ""
		case sqlread.Update:
			return slices.ContainsFunc(t.Writes, func(w sqlread.Write) bool {
				rival := sqlread.Same(&t, c.write) && flow.Column(w.Column) == flow.Column(c.named) && o.Arg(w.Value).String() != c.state()
				return w.Kind == sqlread.Relative || rival
			})
		}
		return false
	})
}

// state is what the write puts into the column that the check is about.
func (c *candidate) state() string {
	for _, w := range c.write.Writes {
		if flow.Column(w.Column) == flow.Column(c.named) {
			return c.act.Arg(w.Value).String()
		}
	}
	return ""
}
