package sqlcheckact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// insertReason: the new row is one that the read had looked for.
func (c *candidate) insertReason() reason {
	if !c.wouldFind() {
		return none
	}
	if c.unique() && !c.wanted() {
		if c.unheard() {
			return absence
		}
		return none
	}
	for _, d := range c.conds() {
		switch {
		case d.Test == flow.Absent, d.Test == flow.Err:
			return absence
		case d.Test == flow.Decides && strings.Contains(d.Path, ".err"):
		case d.Test == flow.Decides && c.read.Aggregate && !exists(c.check) && !zero.MatchString(d.Text):
			return count
		case d.Test == flow.Decides:
			return absence
		}
	}
	if c.read.Aggregate || c.read.Limited {
		for _, row := range c.write.Rows {
			for _, v := range row {
				if v := c.act.Arg(v); c.calculated(v, "") || c.summed() && c.comes(v) {
					return computed
				}
			}
		}
	}
	if c.searched() {
		return absence
	}
	return none
}

// wanted reports whether the function answers with the row that it finds, or gives it
// the values that it was to insert: then the
// error of a unique index hides the row that another caller has made meanwhile. One
// that adds a row, or refuses a second, has said what it had to say.
func (c *candidate) wanted() bool {
	if c.missed() || c.upserts() {
		return true
	}
	results := c.act.Sum.Results
	return len(results) > 1 && slices.ContainsFunc(results[:len(results)-1], func(r []flow.Part) bool { // the last is the error
		return slices.ContainsFunc(r, func(p flow.Part) bool {
			return p.Event == c.check.I && !p.Calc && !strings.HasPrefix(p.Source.Path, ".n") && !strings.HasPrefix(p.Source.Path, ".absent")
		})
	})
}

// unique reports whether a constraint keeps out a second row with the values that
// the read looked for: the loser gets an error, and nothing is lost.
func (c *candidate) unique() bool {
	var columns []string
	for _, k := range stmt.Keys(c.read) {
		columns = append(columns, k.Column)
	}
	if len(columns) == 0 {
		columns = c.comparedInGo()
	}
	return c.act.Sum.Unique(c.write.Name, columns)
}

// comparedInGo are the columns of a list of all rows that Go has compared, each to
// find the row that the write adds: the write happens where no row had its value.
func (c *candidate) comparedInGo() []string {
	var columns []string
	for _, d := range c.conds() {
		op, right, _ := strings.Cut(d.Text, " ")
		column := c.column(d.Path)
		if d.Test != flow.Decides || isErr(d.Path) || column == "" || right != "" || op != "" && (op == "==") == d.Yes {
			continue
		}
		if v, ok := c.inserted(column); ok && c.write.Into != nil && v.Root != flow.Const && len(v.From) > 0 && !c.comes(v) {
			columns = append(columns, column)
		}
	}
	return columns
}

// missed: an UPDATE found no row, and the row is inserted instead.
func (c *candidate) missed() bool {
	return c.read.Kind == sqlread.Update && c.write.Kind == sqlread.Insert &&
		slices.ContainsFunc(c.conds(), func(d flow.Cond) bool { return d.Test == flow.Decides && strings.HasPrefix(d.Path, ".n") })
}

// exists reports whether the statement only asks for existence.
func exists(s stmt.Stmt) bool {
	text := strings.ToLower(s.Text)
	return strings.Contains(text, "exists") || strings.Contains(text, "count(*) > 0")
}

// zero are comparisons that ask a count for none or any.
var zero = regexp.MustCompile(`^(>|==|!=) 0$|^(>=|<) 1$`)

// wouldFind reports whether the read could find the row that is inserted: each
// column that it compares gets the value that it looked for, or what the caller
// says where it looked for a constant.
func (c *candidate) wouldFind() bool {
	keys := stmt.Keys(c.read)
	if len(keys) == 0 {
		return c.read.Aggregate || c.read.Limited || len(c.comparedInGo()) > 0
	}
	same := false
	for _, k := range keys {
		v, ok := c.inserted(k.Column)
		if k.Values[0].Kind == sqlread.Literal {
			same = same || ok && c.write.Into != nil && fixedText(v) == fixedText(c.check.Arg(k.Values[0]))
			continue
		}
		if !ok {
			return false
		}
		sought := c.check.Arg(k.Values[0])
		switch c.same(sought, v) {
		case maybe:
			if c.fromOtherRows(sought, v) {
				return false
			}
		case different:
			if sought.Root != flow.Const || v.Root == flow.Const {
				return false
			}
		case equal:
			same = true
		}
	}
	return same || c.write.Into == nil
}

// inserted is the value that a column of the new row gets.
func (c *candidate) inserted(column string) (flow.Value, bool) {
	if c.write.Into == nil {
		return flow.Value{}, true
	}
	for i, into := range c.write.Into {
		if flow.Column(into) != flow.Column(column) {
			continue
		}
		if len(c.write.Rows) == 0 || i >= len(c.write.Rows[0]) {
			return flow.Value{}, true
		}
		return c.act.Arg(c.write.Rows[0][i]), true
	}
	return flow.Value{}, false
}
