package sqlread

import "slices"

// ClashKind is how precisely two statements are known to conflict.
type ClashKind uint8

// NoClash: they commute. RowClash: they name the same row or the same value.
// TableClash: they meet in a table, and nothing says that the rows differ.
const (
	NoClash ClashKind = iota
	RowClash
	TableClash
)

// Clash is a conflict of two accesses.
type Clash struct {
	Kind    ClashKind
	Table   string
	Columns []string // that one writes and the other reads or writes; nil when whole rows come or go
	A, B    int      // indexes into the Tables of the two statements
}

// Conflicts returns the most precise conflict of two statements with their
// arguments. Two reads have none; neither have accesses of which one column
// names different rows.
func Conflicts(a, b *Access, argsA, argsB Args) Clash {
	var best Clash
	for i := range a.Tables {
		for j := range b.Tables {
			c := clash(&a.Tables[i], &b.Tables[j], argsA, argsB, a.Opaque || b.Opaque)
			if c.Kind != NoClash && (best.Kind == NoClash || c.Kind < best.Kind) {
				c.A, c.B = i, j
				best = c
			}
		}
	}
	if best.Kind == NoClash && (a.Opaque && len(b.Tables) > 0 || b.Opaque && len(a.Tables) > 0) {
		return Clash{Kind: TableClash}
	}
	return best
}

func clash(x, y *Table, argsX, argsY Args, opaque bool) Clash {
	if !Same(x, y) || !opaque && !x.Kind.Writes() && !y.Kind.Writes() && !x.Lock.Conflicts(y.Lock) {
		return Clash{}
	}
	columns, meet := Shared(x, y)
	if !meet && !x.Lock.Conflicts(y.Lock) && !opaque {
		return Clash{}
	}
	switch Rows(x, y, argsX, argsY) {
	case Different:
		return Clash{}
	case Equal:
		return Clash{Kind: RowClash, Table: x.Name, Columns: columns}
	}
	return Clash{Kind: TableClash, Table: x.Name, Columns: columns}
}

// Same reports whether the accesses can be to one table.
func Same(x, y *Table) bool {
	return x.Name == y.Name && (x.Schema == y.Schema || x.Schema == "" || y.Schema == "")
}

// Shared returns the columns that one access writes and the other reads or
// writes. Rows that come or go meet every access, with no columns.
func Shared(x, y *Table) (columns []string, meet bool) {
	if x.Kind == Insert && x.OnConflict != "update" || y.Kind == Insert && y.OnConflict != "update" || x.Kind == Delete || y.Kind == Delete {
		return nil, true
	}
	if x.Kind == Insert || y.Kind == Insert {
		meet = true
	}
	for _, pair := range [][2]*Table{{x, y}, {y, x}} {
		for _, w := range pair[0].Writes {
			if pair[1].sees(w.Column) && !slices.Contains(columns, w.Column) {
				columns = append(columns, w.Column)
			}
		}
	}
	return columns, meet || len(columns) > 0
}

// sees reports whether the access reads or writes the column.
func (t *Table) sees(column string) bool {
	if column == "*" || slices.Contains(t.Columns, column) || slices.Contains(t.Columns, "*") {
		return true
	}
	return slices.ContainsFunc(t.Writes, func(w Write) bool { return w.Column == column || w.Column == "*" })
}

// Meeting says whether two accesses touch the same rows.
type Meeting uint8

// Maybe: nothing tells. Equal: a column has the same value in both, and none
// has different ones. Different: a column has different values.
const (
	Maybe Meeting = iota
	Equal
	Different
)

// Rows compares the rows that two accesses to one table name.
func Rows(x, y *Table, argsX, argsY Args) Meeting {
	m := Maybe
	for side, t := range [2]*Table{x, y} {
		other, args, otherArgs := y, argsX, argsY
		if side == 1 {
			other, args, otherArgs = x, argsY, argsX
		}
		for i := range t.Preds {
			switch comparePred(&t.Preds[i], args, other, otherArgs) {
			case Different:
				if !t.Sets(t.Preds[i].Column) && !other.Sets(t.Preds[i].Column) {
					return Different
				}
			case Equal:
				m = Equal
			}
		}
	}
	if x.Kind == Insert && y.Kind == Insert {
		return inserted(x, y, argsX, argsY)
	}
	return m
}

// Sets reports whether the column of a touched row changes.
func (t *Table) Sets(column string) bool {
	return slices.ContainsFunc(t.Writes, func(w Write) bool { return w.Column == column || w.Column == "*" })
}

// comparePred compares a condition with what the other access says about the
// same column.
func comparePred(p *Pred, args Args, other *Table, otherArgs Args) Meeting {
	mine, ok := resolve(p.Values, args)
	if !ok || p.Op != "=" && p.Op != "in" && p.Op != "<>" {
		return Maybe
	}
	theirs, ok := other.Values(p.Column, p.Func, otherArgs)
	if !ok {
		return Maybe
	}
	both := slices.ContainsFunc(mine, func(s string) bool { return slices.Contains(theirs, s) })
	switch {
	case p.Op == "<>" && both && len(mine) == 1 && len(theirs) == 1:
		return Different
	case p.Op == "<>":
		return Maybe
	case both:
		return Equal
	}
	return Different
}

func resolve(vs []Value, args Args) ([]string, bool) {
	var all []string
	for _, v := range vs {
		texts, ok := v.Resolve(args)
		if !ok {
			return nil, false
		}
		all = append(all, texts...)
	}
	return all, true
}

// Values returns the values that the column has in all of the touched rows,
// under a function such as lower or "". ok is false when they cannot be told.
func (t *Table) Values(column, f string, args Args) (texts []string, ok bool) {
	if t.Kind == Insert {
		return t.insertedValues(column, f, args)
	}
	for i := range t.Preds {
		p := &t.Preds[i]
		if p.Column != column || p.Op != "=" && p.Op != "in" || p.Func != "" && p.Func != f {
			continue
		}
		if texts, ok = resolve(p.Values, args); !ok {
			continue
		}
		if p.Func != f {
			texts = applyAll(f, texts)
		}
		return texts, true
	}
	return nil, false
}

func applyAll(f string, texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = Apply(f, s)
	}
	return out
}

// insertedValues returns the values that the new rows have in the column.
func (t *Table) insertedValues(column, f string, args Args) ([]string, bool) {
	n := slices.Index(t.Into, column)
	if n < 0 || len(t.Rows) == 0 {
		return nil, false
	}
	var all []string
	for _, row := range t.Rows {
		if n >= len(row) {
			return nil, false
		}
		texts, ok := row[n].Resolve(args)
		if !ok {
			return nil, false
		}
		all = append(all, texts...)
	}
	return applyAll(f, all), true
}

// inserted compares the new rows of two inserts, which meet where a unique
// index says so: Different when no column has the same value in both.
func inserted(x, y *Table, argsX, argsY Args) Meeting {
	m := Different
	if len(x.Into) == 0 || len(y.Into) == 0 {
		return Maybe
	}
	for _, c := range x.Into {
		mine, ok := x.Values(c, "", argsX)
		theirs, ok2 := y.Values(c, "", argsY)
		switch {
		case !ok || !ok2:
			m = Maybe
		case slices.ContainsFunc(mine, func(s string) bool { return slices.Contains(theirs, s) }):
			return Equal
		}
	}
	return m
}
