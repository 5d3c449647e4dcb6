package sqlcheckact

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sketch"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// draft is a scenario under construction.
type draft struct {
	*candidate
	out    *sketch.Sketch
	params map[string]string // by what names the Go value
	sets   []sketch.Set      // of the statement at hand
	first  map[string]sketch.Column
	lost   bool // what the act stores is not known
}

// sketch drafts the scenario in which two callers meet; nil when the statements
// or the decision between them are not known well enough for it to show
// anything.
func (c *candidate) sketch() *sketch.Sketch {
	if c.why == barred || c.why == saved {
		return nil // the one takes a third caller, who changes the state, the other an INSERT that only the ORM writes
	}
	d := &draft{candidate: c, params: map[string]string{}, first: map[string]sketch.Column{}, out: &sketch.Sketch{
		Name: callName(c.act.Sum.Name), Title: c.headline(), From: c.places(),
	}}
	begin, known := c.act.Tx()
	d.out.Tx = (begin != nil && begin.Op == libs.Begin || !known && c.act.Handle == libs.Tx) && stmt.SameHandle(c.check.Event, c.act.Event)
	if !d.ask() {
		return nil
	}
	for _, s := range append(d.between(), c.act) {
		if !d.step(s) {
			return nil
		}
	}
	if d.lost {
		return nil
	}
	d.tables()
	return d.out
}

// places name the two statements without the folders, which are not the
// reader's matter.
func (c *candidate) places() string {
	at := func(s stmt.Stmt) string {
		p := s.Site[len(s.Site)-1]
		return path.Base(filepath.ToSlash(p.File)) + ":" + strconv.Itoa(p.Line)
	}
	return at(c.check) + " and " + at(c.act)
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)
var notName = regexp.MustCompile(`[^a-zA-Z0-9_]+`)
var camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// callName makes a function's name one for a scenario.
func callName(fn string) string {
	fn, _, _ = strings.Cut(fn, "$")
	fn = fn[strings.LastIndexAny(fn, "./")+1:]
	name := strings.Trim(notWord.ReplaceAllString(strings.ToLower(camel.ReplaceAllString(fn, "$1-$2")), "-"), "-")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "call-" + name
	}
	return name
}

// whole reports whether all of a statement's text is known.
func whole(s stmt.Stmt) bool {
	return !strings.Contains(s.SQL, "ccheck_") && !s.Acc.Opaque && !s.Spread && strings.Count(strings.TrimRight(s.SQL, "; \n"), ";") == 0
}

// between are the writes from the check to the act.
func (d *draft) between() []stmt.Stmt {
	var all []stmt.Stmt
	for _, s := range d.all {
		if s.I == d.check.I || s.I == d.act.I || s.Async || s.Deferred || !whole(s) || !s.Sum.After(d.check.I, s.I) || !s.Sum.After(s.I, d.act.I) {
			continue
		}
		if slices.ContainsFunc(s.Acc.Tables, func(t sqlread.Table) bool { return t.Kind.Writes() }) && len(s.Loop) == 0 {
			all = append(all, s)
		}
	}
	return all
}

// step writes a statement behind the check.
func (d *draft) step(s stmt.Stmt) bool {
	if !whole(s) {
		return false
	}
	d.sets = nil
	sql := d.bind(s)
	d.out.Steps = append(d.out.Steps, sketch.Step{SQL: sql, Sets: d.sets})
	return true
}

// bind puts variables in the place of parameters.
func (d *draft) bind(s stmt.Stmt) string {
	return sqlread.Bind(s.SQL, func(v sqlread.Value) string { return d.variable(s, v) })
}

// variable is how the call has the Go value behind a parameter.
func (d *draft) variable(s stmt.Stmt, v sqlread.Value) string {
	arg := s.Arg(v)
	t, column := place(s, v)
	switch {
	case arg.Root == flow.Const && arg.Name == "nil":
		return "NULL"
	case arg.Root == flow.Const:
		return literal(arg.Name)
	case d.comes(arg):
		if name, calculated := d.read(arg); name != "" {
			if calculated {
				return ":" + d.set(arg, name, t, column)
			}
			d.lost = d.lost || s.I == d.act.I && sameName(column, d.named) && sameName(column, name)
			return ":" + name
		}
	}
	if column == "" {
		return ":" + d.operand(arg.Desc)
	}
	return ":" + d.param(arg.Desc, t, column)
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// read is the column of the check that a value came from.
func (d *draft) read(v flow.Value) (name string, calculated bool) {
	for _, p := range v.From {
		if p.Event != d.check.I || isErr(p.Source.Path) {
			continue
		}
		if out := d.output(p.Source.Path); out != "" && (name == "" || p.Calc) {
			name, calculated = out, p.Calc
		}
	}
	return name, calculated
}

// output is the variable that a part of the check's answer is in.
func (d *draft) output(p string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(p, "."), ".")
	name, _, _ = strings.Cut(name, "[")
	outs := d.check.Acc.Outputs
	if name == "" && len(outs) == 1 && outs[0].Name != "*" {
		return outputName(outs, 0)
	}
	for i, o := range outs {
		switch {
		case o.Name == "*":
			return d.spelled(name)
		case flow.Column(outputName(outs, i)) == flow.Column(name):
			return outputName(outs, i)
		}
	}
	return ""
}

// behind is the column of the table that is in an output.
func (d *draft) behind(output string) string {
	for _, o := range d.check.Acc.Outputs {
		if o.Name == output && o.Column != "" {
			return o.Column
		}
	}
	return output
}

// outputName is the name of a column of the answer; one without a name gets that
// of its place, as package flow has it.
func outputName(outs []sqlread.Output, i int) string {
	if outs[i].Name == "" {
		return "expr" + strconv.Itoa(i)
	}
	return outs[i].Name
}

// spelled is a column of the table as its statements write it; "" for one that
// they do not name.
func (d *draft) spelled(name string) string {
	for _, t := range []*sqlread.Table{d.candidate.read, d.write} {
		for _, p := range t.Preds {
			if flow.Column(p.Column) == flow.Column(name) {
				return p.Column
			}
		}
		for _, w := range t.Writes {
			if flow.Column(w.Column) == flow.Column(name) {
				return w.Column
			}
		}
	}
	return ""
}

// set names a value that the application computes from what it read.
func (d *draft) set(v flow.Value, from, table, column string) string {
	s := sketch.Set{Name: d.fresh("new_" + column), From: from, Table: table, Column: column}
	if e, ok := d.expr(v.Desc, from); ok && v.Root == flow.Expr {
		s.Expr = e
		d.number(table, d.behind(from))
	}
	if d.candidate.read.Aggregate {
		d.number(table, column)
	}
	d.sets = append(d.sets, s)
	return s.Name
}

// number notes that a column is calculated with.
func (d *draft) number(table, column string) {
	c := d.first[table+"."+column]
	c.Type = "bigint"
	d.first[table+"."+column] = c
}

// expr writes a sum, difference or product in pgbench's language. What it knows
// no other name of is what was read.
func (d *draft) expr(v flow.Desc, from string) (string, bool) {
	switch v.Root {
	case flow.Const:
		_, err := strconv.ParseInt(v.Name, 10, 64)
		return v.Name, err == nil
	case flow.Param:
		return ":" + d.operand(v), true
	case flow.Local, flow.Result:
		return ":" + from, true
	case flow.Expr:
		if len(v.Args) != 2 || !strings.Contains("+-*", v.Name) {
			return "", false
		}
		x, ok1 := d.expr(v.Args[0], from)
		y, ok2 := d.expr(v.Args[1], from)
		return "(" + x + " " + v.Name + " " + y + ")", ok1 && ok2
	}
	return "", false
}

// operand is an argument of the call that is a number.
func (d *draft) operand(v flow.Desc) string {
	name := d.param(v, "", "")
	for i := range d.out.Params {
		if p := &d.out.Params[i]; p.Name == name && p.Column == "" && p.Text == "" {
			p.Text = "60"
		}
	}
	return name
}

// param is the argument of the call behind a Go value; the same for the same
// value.
func (d *draft) param(v flow.Desc, table, column string) string {
	id := v.String()
	if !v.Known() {
		id = table + "." + column + "?" + id
	}
	if name := d.params[id]; name != "" {
		d.placed(name, table, column)
		return name
	}
	base := column
	if base == "" {
		base = "amount"
	}
	name := d.fresh(strings.ToLower(base))
	d.params[id] = name
	d.out.Params = append(d.out.Params, sketch.Param{Name: name, Table: table, Column: column})
	return name
}

// placed notes the column of a parameter that had none yet.
func (d *draft) placed(name, table, column string) {
	for i := range d.out.Params {
		if p := &d.out.Params[i]; p.Name == name && p.Column == "" {
			p.Table, p.Column = table, column
		}
	}
}

// fresh is a name that no variable has. Those that the check leaves count, but
// for the columns it was asked by, where both are the same.
func (d *draft) fresh(base string) string {
	base = strings.Trim(notName.ReplaceAllString(base, "_"), "_")
	taken := func(name string) bool {
		if name == "going" || name == "scale" || name == "client_id" || name == "changed" {
			return true
		}
		if slices.ContainsFunc(d.out.Params, func(p sketch.Param) bool { return p.Name == name }) {
			return true
		}
		outs := d.check.Acc.Outputs
		return !d.isKey(name) && slices.ContainsFunc(outs, func(o sqlread.Output) bool { return flow.Column(o.Name) == flow.Column(name) })
	}
	name := base
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	return name
}
