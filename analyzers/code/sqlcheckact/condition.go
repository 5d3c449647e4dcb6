package sqlcheckact

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// guard is what the WHERE of an UPDATE has to ask again, in its own parameters;
// nothing when the check and the act are not written in one function, or the
// check asks more than one thing.
func (c *candidate) guard() flow.Guard {
	if c.write.Kind != sqlread.Update || !c.write.Exact || len(c.act.Site) != 1 || len(c.check.Site) != 1 {
		return flow.Guard{}
	}
	switch c.why {
	case decision:
		return c.decided()
	case claimed:
		return c.chosen()
	}
	return flow.Guard{}
}

// decided is the one comparison of the column that leads to the act.
func (c *candidate) decided() flow.Guard {
	var found []flow.Cond
	for _, d := range c.conds() {
		if d.Test == flow.Decides && !isErr(d.Path) {
			found = append(found, d)
		}
	}
	if len(found) != 1 || !found[0].Itself || flow.Column(c.column(found[0].Path)) != flow.Column(c.named) {
		return flow.Guard{}
	}
	return flow.Guard{SQL: c.again(found[0]), Branch: found[0].Pos}
}

// again is a branch as the WHERE asks it.
func (c *candidate) again(d flow.Cond) string {
	op, right, _ := strings.Cut(d.Text, " ")
	if !d.Yes {
		op = opposite[op]
	}
	null, known := isNull(d)
	switch {
	case known && null:
		return c.written() + " IS NULL"
	case known:
		return c.written() + " IS NOT NULL"
	case d.Text == "":
		return c.flag(d.Yes)
	case sqlOps[op] == "":
		return ""
	case right == "":
		right = c.operand(d)
	default:
		if _, err := strconv.ParseInt(right, 10, 64); err != nil {
			right = literal(right)
		}
	}
	if right == "" || strings.ContainsAny(right, "\"`\\") {
		return ""
	}
	return c.written() + " " + sqlOps[op] + " " + right
}

// isNull reports whether a branch goes where the column is NULL: a pointer is nil,
// or a sql.Null… is not Valid. It is not known of a branch that asks otherwise.
func isNull(d flow.Cond) (null, known bool) {
	switch {
	case d.Path == "": // whether there is a row at all
		return false, false
	case d.Text == "" && strings.HasSuffix(d.Path, ".Valid"):
		return !d.Yes, true
	case d.Text == "== nil":
		return d.Yes, true
	case d.Text == "!= nil":
		return !d.Yes, true
	}
	return false, false
}

// written is the column as SQL writes it: PostgreSQL folds what has no quotes.
func (c *candidate) written() string {
	if quoted := `"` + c.named + `"`; strings.Contains(c.act.SQL, quoted) {
		return quoted
	}
	return c.named
}

var opposite = map[string]string{"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// flag is the question for a column that the write sets to true or false.
func (c *candidate) flag(yes bool) string {
	for _, w := range c.write.Writes {
		if flow.Column(w.Column) == flow.Column(c.named) && w.Value.Kind == sqlread.Literal && literalType(w.Value.Text) == "boolean" {
			if yes {
				return c.written()
			}
			return "NOT " + c.written()
		}
	}
	return ""
}

// operand is the parameter of the write that the column is compared with: it
// subtracts what was compared.
func (c *candidate) operand(d flow.Cond) string {
	first := true
	for _, o := range c.act.Conds {
		if o.Pos != d.Pos {
			continue
		}
		if o.Event == d.Event {
			first = false
			continue
		}
		if first || o.Event >= 0 {
			return "" // the column stands on the right
		}
		for _, w := range c.write.Writes {
			arg := c.act.Arg(w.Value)
			if w.Kind == sqlread.Relative && w.Value.Kind == sqlread.Param && numbered.MatchString(c.act.SQL) &&
				arg.Root == flow.Param && arg.N == o.Param && arg.Path == o.Path {
				return "$" + strconv.Itoa(w.Value.N)
			}
		}
	}
	return ""
}

// numbered are parameters that can be named twice.
var numbered = regexp.MustCompile(`\$[0-9]`)

// chosen is the condition by which the read chose the row.
func (c *candidate) chosen() flow.Guard {
	for _, p := range c.read.Preds {
		if p.Column != c.named {
			continue
		}
		if p.Op != "=" || p.Func != "" || len(p.Values) != 1 || p.Values[0].Kind != sqlread.Literal || strings.ContainsAny(p.Text, "\"`\\.") {
			return flow.Guard{}
		}
		return flow.Guard{SQL: p.Text}
	}
	return flow.Guard{}
}
