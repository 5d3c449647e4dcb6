package culprit

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/probes/history"
)

// Spec is a column, under a function such as lower or "".
type Spec struct{ Column, Func string }

// Target is what was wrong in the end: tables, each with the values that name
// its wrong rows.
type Target []Place

// Place is one mention of a table.
type Place struct {
	Table string
	Rows  []map[Spec]string // a set of values for every wrong row
}

// OfClaim returns what a broken claim speaks of: the tables that its query
// reads, with the values that the violating rows give to their columns.
func OfClaim(a *sqlread.Access, rows [][]history.Value) Target {
	var t Target
	for i := range a.Tables {
		p := Place{Table: a.Tables[i].Name}
		for _, row := range rows {
			p.Rows = append(p.Rows, given(a, i, row))
		}
		t = append(t, p)
	}
	if a.Opaque && len(t) == 0 {
		return Target{{}} // what it reads is not known, so nobody is suspected
	}
	return t
}

// given returns the values that a violating row gives to the columns of table
// i, directly or over a join.
func given(a *sqlread.Access, i int, row []history.Value) map[Spec]string {
	values := map[Spec]string{}
	for n, o := range a.Outputs {
		if o.Table < 0 || o.Column == "*" || n >= len(row) || row[n].Null {
			continue
		}
		if o.Table == i {
			values[Spec{o.Column, o.Func}] = row[n].Text
		}
		for _, p := range a.Tables[i].Preds {
			if p.Op == "=" && p.Values[0].Kind == sqlread.Column && p.Func == "" && o.Func == "" &&
				p.Values[0].Text == o.Column && (p.Values[0].Table == "" || p.Values[0].Table == a.Tables[o.Table].Alias) {
				values[Spec{p.Column, ""}] = row[n].Text
			}
		}
	}
	return values
}

// match says how well a call fits: 0 it wrote none of the tables, 1 it
// wrote one of them, 2 it wrote a row that is named.
func (t Target) match(c *lanes.Call) int {
	best := 0
	for _, x := range c.Txns {
		if x.State == lanes.Aborted {
			continue
		}
		for n := range x.Stmts {
			for i := range x.Stmts[n].Access.Tables {
				best = max(best, t.matchAccess(&x.Stmts[n], i))
			}
		}
	}
	return best
}

// matchAccess is match for one access.
func (t Target) matchAccess(s *lanes.Stmt, i int) int {
	a := &s.Access.Tables[i]
	if !a.Kind.Writes() || !s.Effective(i) {
		return 0
	}
	if len(t) == 0 {
		return 1 // the claim counts answers alone: any write may have led to them
	}
	best := 0
	for n := range t {
		if p := &t[n]; p.Table == a.Name {
			best = max(best, p.match(s, i))
		}
	}
	return best
}

// match tells whether the access can have touched a row of the violation.
func (p *Place) match(s *lanes.Stmt, i int) int {
	best := 0
	for _, row := range p.Rows {
		best = max(best, matchRow(s, i, row))
	}
	return best
}

func matchRow(s *lanes.Stmt, i int, row map[Spec]string) int {
	named := false
	for c, want := range row {
		texts, ok := s.Values(i, c.Column, c.Func)
		if !ok {
			continue
		}
		if !slices.Contains(texts, want) {
			if set(s, i, c.Column) {
				continue
			}
			return 0
		}
		named = true
	}
	if named || len(row) == 0 {
		return 2
	}
	return 1
}

// set reports whether the access changes the column, so that the value it had
// before says nothing.
func set(s *lanes.Stmt, i int, column string) bool {
	return slices.ContainsFunc(s.Access.Tables[i].Writes, func(w sqlread.Write) bool { return w.Column == column || w.Column == "*" })
}

// Tables are the names of the tables, each once.
func (t Target) Tables() []string {
	var names []string
	for _, p := range t {
		if !slices.Contains(names, p.Table) {
			names = append(names, p.Table)
		}
	}
	return names
}

// named reports whether the transaction wrote a row that is named.
func (t Target) named(x *lanes.Txn) bool {
	for n := range x.Stmts {
		for i := range x.Stmts[n].Access.Tables {
			if t.matchAccess(&x.Stmts[n], i) == 2 {
				return true
			}
		}
	}
	return false
}

// touched reports whether the call ran any statement on one of the tables,
// whatever came of it.
func (t Target) touched(c *lanes.Call) bool {
	for _, x := range c.Txns {
		for n := range x.Stmts {
			for _, a := range x.Stmts[n].Access.Tables {
				if slices.ContainsFunc(t, func(p Place) bool { return p.Table == a.Name }) {
					return true
				}
			}
		}
	}
	return false
}
