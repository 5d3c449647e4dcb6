package sqlcheckact

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sketch"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// ask writes the first step: the read, and the decision that the application
// takes on it.
func (d *draft) ask() bool {
	c := d.check
	if !whole(c) {
		return false
	}
	step := sketch.Step{SQL: d.bind(c), Check: !c.Acc.Tables[0].Kind.Writes()}
	if slices.ContainsFunc(c.Acc.Outputs, func(o sqlread.Output) bool { return o.Name == "" }) {
		for i, o := range c.Acc.Outputs {
			if o.Name == "*" {
				return false
			}
			step.Names = append(step.Names, outputName(c.Acc.Outputs, i))
		}
	}
	step.Absent = d.why == absence && !d.candidate.read.Aggregate
	known := true
	if !step.Absent {
		step.Going, known = d.decision()
	}
	d.out.Steps = append(d.out.Steps, step)
	return known
}

// decision is the condition under which the act happens, over the answer. It is
// known when it says why only one caller may go on.
func (d *draft) decision() (text string, known bool) {
	var all []string
	for _, c := range d.conds() {
		if c.Test != flow.Decides || isErr(c.Path) {
			continue
		}
		t := d.condition(c)
		if t != "" && !slices.Contains(all, t) {
			all = append(all, t)
		}
		known = known || t != "" && (d.named == "" || sameName(d.behind(d.output(c.Path)), d.named))
	}
	switch d.why {
	case computed, claimed, consumed:
		known = true
	}
	return strings.Join(all, " AND "), known
}

// condition is one branch in SQL, "" when it cannot be written.
func (d *draft) condition(c flow.Cond) string {
	column := d.output(c.Path)
	if column == "" || !c.Itself {
		return ""
	}
	left := `q."` + column + `"`
	op, right, _ := strings.Cut(c.Text, " ")
	null, known := isNull(c)
	switch {
	case known:
		d.begin(column, sketch.Column{Null: null})
		return not(!null, left+" IS NULL")
	case op == "" && !d.boolean(column):
		return ""
	case op == "":
		d.begin(column, sketch.Column{Type: "boolean", Text: strconv.FormatBool(c.Yes)})
		return not(!c.Yes, left)
	case sqlOps[op] == "":
		return ""
	case right != "":
		d.boundary(column, op, right, c.Yes)
		return not(!c.Yes, left+" "+sqlOps[op]+" "+literal(right))
	}
	return d.compared(c, column, op)
}

// boolean reports whether an answer is true or false, and not something that a
// function of the application was asked about.
func (d *draft) boolean(output string) bool {
	for i, o := range d.check.Acc.Outputs {
		if outputName(d.check.Acc.Outputs, i) == output && o.Table < 0 {
			return exists(d.check) || strings.ContainsAny(o.Text, "<>=")
		}
	}
	column := d.behind(output)
	for _, w := range d.write.Writes {
		if sameName(w.Column, column) && w.Value.Kind == sqlread.Literal {
			return literalType(w.Value.Text) == "boolean"
		}
	}
	return sketch.Guess(column) == "boolean"
}

var sqlOps = map[string]string{"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

func not(neg bool, text string) string {
	if neg {
		return "NOT (" + text + ")"
	}
	return "(" + text + ")"
}

// compared is a branch that compares the column with an argument of the call.
// What the branch asks first about stands on the left.
func (d *draft) compared(c flow.Cond, column, op string) string {
	left := true
	for _, o := range d.act.Conds {
		if o.Pos != c.Pos {
			continue
		}
		if o.Event == c.Event {
			left = false
			continue
		}
		if o.Event >= 0 || o.Param < 0 {
			continue
		}
		name := d.operand(flow.Desc{Root: flow.Param, N: o.Param, Path: o.Path})
		d.begin(column, beside(name, left, op, c.Yes))
		x, y := `q."`+column+`"`, ":"+name
		if left {
			x, y = y, x
		}
		return not(!c.Yes, x+" "+sqlOps[op]+" "+y)
	}
	return ""
}

// beside is what a column begins with that is compared with an argument of 60,
// so that the comparison comes out as it must for the first caller, and for no
// more than one.
func beside(param string, left bool, op string, yes bool) sketch.Column {
	more, less := op == ">" || op == ">=", op == "<" || op == "<="
	if left {
		more, less = less, more
	}
	switch {
	case more == yes && more != less:
		return sketch.Column{Type: "bigint", Text: "100"}
	case more != less:
		return sketch.Column{Type: "bigint", Text: "59"}
	case (op == "==") == yes:
		return sketch.Column{Param: param}
	}
	return sketch.Column{}
}

// boundary gives the column the last value with which the call goes on.
func (d *draft) boundary(column, op, right string, yes bool) {
	n, err := strconv.ParseInt(right, 10, 64)
	kind := "bigint"
	if err != nil {
		kind = ""
	}
	if err != nil || op == "==" || op == "!=" {
		if (op == "==") == yes {
			d.begin(column, sketch.Column{Type: kind, Text: right})
			return
		}
		d.begin(column, sketch.Column{Type: kind})
		return
	}
	if !yes {
		op = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[op]
	}
	n += map[string]int64{"<": -1, ">": 1}[op]
	d.begin(column, sketch.Column{Type: kind, Text: strconv.FormatInt(n, 10)})
}

// begin says what the check finds in a column.
func (d *draft) begin(column string, c sketch.Column) {
	d.first[d.candidate.read.Name+"."+d.behind(column)] = c
}

// tables declares all that the statements name, with what the calls find.
func (d *draft) tables() {
	for _, s := range append(append([]stmt.Stmt{d.check}, d.between()...), d.act) {
		for i := range s.Acc.Tables {
			d.table(s, &s.Acc.Tables[i])
		}
	}
	for i := range d.out.Tables {
		t := &d.out.Tables[i]
		if sameName(t.Name, d.candidate.read.Name) {
			t.Rows = d.rows()
		}
	}
}

func sameName(a, b string) bool { return strings.EqualFold(a, b) }

// rows is how many rows the check finds.
func (d *draft) rows() int {
	if d.why == absence {
		return 0
	}
	if !d.candidate.read.Aggregate {
		return 1
	}
	for i := range d.check.Acc.Outputs {
		c, ok := d.first[d.candidate.read.Name+"."+outputName(d.check.Acc.Outputs, i)]
		if n, err := strconv.Atoi(c.Text); ok && err == nil && n >= 0 && n <= 100000 {
			return n
		}
	}
	return 1
}

// table adds what a statement says of a table.
func (d *draft) table(s stmt.Stmt, t *sqlread.Table) {
	if unnamed(t) {
		return
	}
	i := slices.IndexFunc(d.out.Tables, func(o sketch.Table) bool { return sameName(o.Name, t.Name) })
	if i < 0 {
		i = len(d.out.Tables)
		d.out.Tables = append(d.out.Tables, sketch.Table{Name: t.Name})
	}
	to := &d.out.Tables[i]
	for _, p := range t.Preds {
		d.column(to, d.predicate(s, p))
	}
	for _, name := range t.Columns {
		d.column(to, sketch.Column{Name: name})
	}
	for _, w := range t.Writes {
		d.column(to, written(w))
	}
	for _, name := range t.Into {
		d.column(to, sketch.Column{Name: name})
	}
	if t == d.candidate.read || s.I == d.check.I {
		for _, o := range s.Acc.Outputs {
			if o.Name == "*" {
				d.starred(to)
			}
		}
	}
}

// starred adds the columns that the application looks at in SELECT *.
func (d *draft) starred(to *sketch.Table) {
	for _, name := range slices.Sorted(maps.Keys(d.first)) {
		if table, column, ok := strings.Cut(name, "."); ok && sameName(table, to.Name) {
			d.column(to, sketch.Column{Name: column})
		}
	}
}

// predicate is a column with a value that meets a condition of the statement.
func (d *draft) predicate(s stmt.Stmt, p sqlread.Pred) sketch.Column {
	c := sketch.Column{Name: p.Column, Null: p.Op == "null"}
	if (p.Op == "=" || p.Op == "in") && len(p.Values) > 0 && s.I == d.check.I {
		switch v := p.Values[0]; v.Kind {
		case sqlread.Param:
			if name, ok := strings.CutPrefix(d.variable(s, v), ":"); ok {
				c.Param = name
			}
		case sqlread.Literal:
			c.Text, c.Type = v.Text, literalType(v.Text)
		}
	}
	return c
}

func written(w sqlread.Write) sketch.Column {
	c := sketch.Column{Name: w.Column}
	switch {
	case w.Kind == sqlread.Relative:
		c.Type = "bigint"
	case w.Value.Kind == sqlread.Literal:
		c.Type = literalType(w.Value.Text)
	}
	return c
}

// literalType is what a literal proves of a column.
func literalType(text string) string {
	if text == "t" || text == "f" {
		return "boolean"
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return "bigint"
	}
	return ""
}

// column adds a column, or what is new about it.
func (d *draft) column(to *sketch.Table, c sketch.Column) {
	if c.Name == "" || c.Name == "*" {
		return
	}
	i := slices.IndexFunc(to.Columns, func(o sketch.Column) bool { return sameName(o.Name, c.Name) })
	if i < 0 {
		i = len(to.Columns)
		to.Columns = append(to.Columns, sketch.Column{Name: c.Name})
	}
	have := &to.Columns[i]
	for _, more := range []sketch.Column{c, d.first[to.Name+"."+c.Name]} {
		have.Null = have.Null || more.Null
		if have.Type == "" {
			have.Type = more.Type
		}
		if have.Param == "" && have.Text == "" {
			have.Param, have.Text = more.Param, more.Text
		}
	}
}

// place is the column that a parameter of a statement is compared with or stored
// in.
func place(s stmt.Stmt, v sqlread.Value) (table, column string) {
	same := func(o sqlread.Value) bool {
		return o.Kind == sqlread.Param && (v.N > 0 && o.N == v.N || v.N == 0 && o.Text == v.Text)
	}
	for _, t := range s.Acc.Tables {
		for _, p := range t.Preds {
			if slices.ContainsFunc(p.Values, same) {
				return t.Name, p.Column
			}
		}
		for _, w := range t.Writes {
			if same(w.Value) && w.Kind == sqlread.Absolute {
				return t.Name, w.Column
			}
		}
		for _, row := range t.Rows {
			if i := slices.IndexFunc(row, same); i >= 0 && i < len(t.Into) {
				return t.Name, t.Into[i]
			}
		}
	}
	return "", ""
}
