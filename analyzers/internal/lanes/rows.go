package lanes

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// Values returns the values that a column, under a function such as lower or
// "", has in the rows that access i touched. Those that RETURNING gave back
// count too. ok is false when they cannot be told.
func (s *Stmt) Values(i int, column, f string) (texts []string, ok bool) {
	t := &s.Access.Tables[i]
	if texts, ok = t.Values(column, f, s.Arg); ok {
		return texts, true
	}
	if !t.Kind.Writes() {
		return nil, false
	}
	return s.Returned(i, column, f)
}

// Returned returns the values of a column of access i in the answer.
func (s *Stmt) Returned(i int, column, f string) (texts []string, ok bool) {
	if s.End == nil || s.End.More > 0 || len(s.End.Rows) == 0 || s.Access.Tables[i].Sub {
		return nil, false
	}
	n := s.output(i, column)
	if n < 0 {
		return nil, false
	}
	for _, row := range s.End.Rows {
		if n >= len(row) {
			return nil, false
		}
		if !row[n].Null {
			texts = append(texts, sqlread.Apply(f, row[n].Text))
		}
	}
	return texts, true
}

// output returns which column of the answer is that column of access i, or -1.
func (s *Stmt) output(i int, column string) int {
	for n, o := range s.Access.Outputs {
		switch {
		case o.Table != i || o.Func != "":
		case o.Column == column:
			return n
		case o.Column == "*" && len(s.Access.Outputs) == 1 && s.End != nil:
			return slices.Index(s.End.Columns, column)
		}
	}
	return -1
}

// Meet says whether access i of s and access j of o can have touched the same
// row; row is true when both name it by the whole key.
func (c *Schema) Meet(s *Stmt, i int, o *Stmt, j int) (meet, row bool) {
	x, y := &s.Access.Tables[i], &o.Access.Tables[j]
	if !sqlread.Same(x, y) || sqlread.Rows(x, y, s.Arg, o.Arg) == sqlread.Different {
		return false, false
	}
	key := c.Key(x.Name)
	row = len(key) > 0
	for _, k := range key {
		mine, ok := s.keyValues(i, k, y)
		theirs, ok2 := o.keyValues(j, k, x)
		if !ok || !ok2 {
			row = false
			continue
		}
		if !slices.ContainsFunc(mine, func(v string) bool { return slices.Contains(theirs, v) }) {
			return false, false
		}
	}
	return true, row
}

// keyValues is Values for a key column; a read is narrowed to the rows that
// came back when the other access cannot bring in a row that did not.
func (s *Stmt) keyValues(i int, key string, other *sqlread.Table) ([]string, bool) {
	if texts, ok := s.Values(i, key, ""); ok {
		return texts, true
	}
	t := &s.Access.Tables[i]
	if t.Kind.Writes() || t.Aggregate || t.Limited || other.Kind != sqlread.Update && other.Kind != sqlread.Delete {
		return nil, false
	}
	for _, p := range t.Preds {
		if slices.ContainsFunc(other.Writes, func(w sqlread.Write) bool { return w.Column == p.Column || w.Column == "*" }) {
			return nil, false
		}
	}
	return s.Returned(i, key, "")
}

// WholeTable reports whether the statement locks a table, and not rows of it.
func (s *Stmt) WholeTable() bool {
	word, _, _ := strings.Cut(strings.TrimSpace(s.Begin.Stmt.SQL), " ")
	return strings.EqualFold(word, "LOCK") || strings.EqualFold(word, "TRUNCATE")
}

// Row names the row that access i touches by its key, "id=3"; ok is false when
// the statement does not name one.
func (c *Schema) Row(s *Stmt, i int) (name string, ok bool) {
	key := c.Key(s.Access.Tables[i].Name)
	for n, k := range key {
		texts, ok := s.Values(i, k, "")
		if !ok {
			texts, ok = s.Returned(i, k, "")
		}
		if !ok || len(texts) != 1 {
			return "", false
		}
		if n > 0 {
			name += ", "
		}
		name += k + "=" + texts[0]
	}
	return name, len(key) > 0
}

// touch is what a transaction did to one row, or to some rows that cannot be
// told.
type touch struct {
	table string
	row   string // values of the key, "" when they cannot be told
	write bool
}

// Apart reports whether two transactions cannot have met: they share no table
// that one of them writes, or name different rows of it. It is what keeps most
// pairs from a closer look.
func (c *Schema) Apart(a, b *Txn) bool {
	x, y := c.touches(a), c.touches(b)
	for i := range x {
		for j := range y {
			if (x[i].write || y[j].write) && x[i].table == y[j].table && (x[i].row == y[j].row || x[i].row == "" || y[j].row == "") {
				return false
			}
		}
	}
	return true
}

func (c *Schema) touches(t *Txn) []touch {
	if t.touched != nil {
		return t.touched
	}
	t.touched = make([]touch, 0, len(t.Stmts))
	for n := range t.Stmts {
		s := &t.Stmts[n]
		for i := range s.Access.Tables {
			a := &s.Access.Tables[i]
			x := touch{table: a.Name, write: a.Kind.Writes()}
			if a.Kind != sqlread.Insert {
				x.row, _ = c.named(s, i)
			}
			if !slices.Contains(t.touched, x) {
				t.touched = append(t.touched, x)
			}
		}
	}
	return t.touched
}

// named returns the key values by which the statement names one row.
func (c *Schema) named(s *Stmt, i int) (row string, ok bool) {
	for _, k := range c.Key(s.Access.Tables[i].Name) {
		texts, ok := s.Access.Tables[i].Values(k, "", s.Arg)
		if !ok || len(texts) != 1 {
			return "", false
		}
		row += texts[0] + "\x00"
	}
	return row, true
}
