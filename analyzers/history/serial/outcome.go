package serial

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/probes/history"
)

// column is a column of a table, or of the answer to a statement.
type column struct {
	table string
	stmt  int
	name  string
}

// chance knows the columns whose values are accidental.
type chance struct {
	schema  *lanes.Schema
	http    map[string]bool // actors that are requests to an application
	columns map[column]bool
}

// learn compares two runs of one serial order.
func (c *chance) learn(a, b *round) {
	c.differ(c.valuesOf(a), c.valuesOf(b))
}

// differ marks the columns that do not hold the same values in both.
func (c *chance) differ(a, b map[column][]string) {
	for col, mine := range a {
		theirs := b[col]
		slices.Sort(mine)
		slices.Sort(theirs)
		if !slices.Equal(mine, theirs) {
			c.columns[col] = true
		}
	}
}

// valuesOf collects what a round left and answered, by column.
func (c *chance) valuesOf(r *round) map[column][]string {
	all := map[column][]string{}
	add := func(col column, v history.Value) { all[col] = append(all[col], text(v)) }
	for _, d := range r.state {
		if !d.added {
			continue
		}
		for _, row := range d.rows {
			for i, v := range row {
				add(column{table: d.table, name: d.columns[i]}, v)
			}
		}
	}
	for _, call := range r.calls {
		for _, a := range c.answers(call) {
			for _, row := range a.rows {
				for i, v := range row {
					add(column{stmt: a.stmt, name: a.columns[i]}, v)
				}
			}
		}
	}
	return all
}

func text(v history.Value) string {
	if v.Null {
		return "\x00"
	}
	return v.Text
}

// class is the column that hands out the values: that of the parent, where a
// foreign key says so.
func (c *chance) class(col column) column {
	if parent, key, ok := c.schema.Parent(col.table, col.name); ok && col.table != "" {
		return column{table: parent, name: key}
	}
	return col
}

// outcome is what a round came to, in a form in which equal ones are equal.
type outcome struct {
	state string
	lanes map[int]string
	ended map[int]history.Outcome
}

// of brings a round into that form.
func (c *chance) of(r *round) outcome {
	n := namer{chance: c, names: map[column]map[string]string{}}
	o := outcome{lanes: map[int]string{}, ended: map[int]history.Outcome{}}
	o.state = n.state(r)
	for _, lane := range slices.Sorted(maps.Keys(r.calls)) {
		call := r.calls[lane]
		o.ended[lane] = outcomeOf(call)
		o.lanes[lane] = string(o.ended[lane]) + n.answers(call)
	}
	return o
}

// namer gives accidental values names by the order in which they appear.
type namer struct {
	*chance
	names map[column]map[string]string
	known map[column]map[string]bool // values of rows of after setup
	tints tints
}

func (n *namer) name(col column, v history.Value) string {
	if !n.columns[col] || v.Null {
		return text(v)
	}
	class := n.class(col)
	if n.known[class][v.Text] {
		return v.Text
	}
	of := n.names[class]
	if of == nil {
		of = map[string]string{}
		n.names[class] = of
	}
	if of[v.Text] == "" {
		of[v.Text] = "#" + strconv.Itoa(len(of)+1)
	}
	return of[v.Text]
}

// state writes what came and went, table by table.
func (n *namer) state(r *round) string {
	n.known = map[column]map[string]bool{}
	var b strings.Builder
	for _, d := range r.state {
		if d.added {
			continue
		}
		rows := make([]string, len(d.rows))
		for i, row := range d.rows {
			for k, v := range row {
				n.keep(column{table: d.table, name: d.columns[k]}, v)
			}
			rows[i] = join(row, func(_ int, v history.Value) string { return text(v) })
		}
		slices.Sort(rows)
		fmt.Fprintf(&b, "-%s\n%s\n", d.table, strings.Join(rows, "\n"))
	}
	n.tint(r.state)
	for _, d := range n.parentsFirst(r.state) {
		fmt.Fprintf(&b, "+%s\n", d.table)
		for _, row := range n.sorted(d) {
			b.WriteString(join(row, func(i int, v history.Value) string { return n.name(column{table: d.table, name: d.columns[i]}, v) }) + "\n")
		}
	}
	return b.String()
}

func (n *namer) keep(col column, v history.Value) {
	class := n.class(col)
	if n.known[class] == nil {
		n.known[class] = map[string]bool{}
	}
	n.known[class][v.Text] = true
}

// parentsFirst are the tables with new rows, those that others refer to first,
// so that names are given where the values come from.
func (n *namer) parentsFirst(all []delta) []delta {
	var list []delta
	for _, d := range all {
		if d.added {
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b delta) int {
		switch {
		case n.schema.RefersTo(a.table, b.table):
			return 1
		case n.schema.RefersTo(b.table, a.table):
			return -1
		}
		return cmp.Compare(a.table, b.table)
	})
	return list
}

// sorted orders the rows by what is not accidental, then by the company that
// the accidental values keep, and last by these values, which may be random.
func (n *namer) sorted(d delta) [][]history.Value {
	rows := slices.Clone(d.rows)
	slices.SortStableFunc(rows, func(a, b []history.Value) int {
		for _, compare := range []func(col column, a, b history.Value) int{n.fixed, n.tinted, n.raw} {
			for i := range a {
				if c := compare(column{table: d.table, name: d.columns[i]}, a[i], b[i]); c != 0 {
					return c
				}
			}
		}
		return 0
	})
	return rows
}

func (n *namer) fixed(col column, a, b history.Value) int {
	if n.columns[col] {
		return 0
	}
	return compare(a, b)
}

func (n *namer) raw(_ column, a, b history.Value) int { return compare(a, b) }

// compare orders numbers as numbers.
func compare(a, b history.Value) int {
	x, err1 := strconv.ParseFloat(a.Text, 64)
	y, err2 := strconv.ParseFloat(b.Text, 64)
	if err1 == nil && err2 == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(text(a), text(b))
}

func (n *namer) answers(c *lanes.Call) string {
	var b strings.Builder
	for _, a := range n.chance.answers(c) {
		fmt.Fprintf(&b, "\n%d:", a.stmt)
		for _, row := range a.rows {
			b.WriteString(join(row, func(i int, v history.Value) string { return n.name(column{stmt: a.stmt, name: a.columns[i]}, v) }) + ";")
		}
	}
	return b.String()
}

func join(row []history.Value, f func(int, history.Value) string) string {
	parts := make([]string, len(row))
	for i, v := range row {
		parts[i] = f(i, v)
	}
	return strings.Join(parts, "\x1f")
}

// equals reports whether the outcome is that of a serial order. Lanes that did
// not take part in the order must have been refused or rolled back.
func (o outcome) equals(s outcome) bool {
	if o.state != s.state {
		return false
	}
	for lane, end := range o.ended {
		told, there := s.lanes[lane]
		switch {
		case there && told != o.lanes[lane]:
			return false
		case !there && end != history.Refused && end != history.Failed:
			return false
		}
	}
	return true
}
