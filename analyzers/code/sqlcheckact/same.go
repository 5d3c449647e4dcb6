package sqlcheckact

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// sameness compares two Go values.
type sameness uint8

const (
	maybe sameness = iota
	equal
	different
)

// same compares a value of the check with one of the act: in one turn of a loop
// what it ranges over gives one element, and two loops over one list give the same.
func (c *candidate) same(a, b flow.Value) sameness {
	if n := len(c.check.Loop); n > 0 && n == len(c.act.Loop) && oneList(&c.check.Loop[n-1], &c.act.Loop[n-1]) && element(a.Desc) && a.String() == b.String() {
		return equal
	}
	return sameValue(a, b)
}

func oneList(a, b *flow.Loop) bool { return a.Pos == b.Pos || a.Over.Same(b.Over.Desc) }

// element reports whether all that a description is made of is known, apart from
// which element of a list it is.
func element(d flow.Desc) bool {
	return d.Root != flow.Unknown && !slices.ContainsFunc(d.Args, func(a flow.Desc) bool { return !element(a) })
}

func sameValue(a, b flow.Value) sameness {
	switch {
	case a.Same(b.Desc), sameField(a.Desc, b.Desc), sharedSource(a, b), a.Name == "phi" && len(a.Args) > 0 && a.String() == b.String():
		return equal
	case a.Root == flow.Unknown || b.Root == flow.Unknown || !a.Known() || !b.Known():
		return maybe
	case plain(a.Desc) && plain(b.Desc):
		return different
	}
	return maybe
}

// sameField reports whether two descriptions differ in how a field is spelled
// alone: a named parameter is spelled as the column, not as the field.
func sameField(a, b flow.Desc) bool {
	return a.Root == flow.Param && b.Root == flow.Param && a.N == b.N && a.Path != "" && b.Path != "" && flow.Column(a.Path) == flow.Column(b.Path)
}

// plain reports whether a description is a constant or an argument that nobody
// has changed on the way.
func plain(d flow.Desc) bool { return d.Root == flow.Const || d.Root == flow.Param }

// sharedSource reports whether both values are copies from one source.
func sharedSource(a, b flow.Value) bool {
	for _, x := range a.Sources() {
		if slices.ContainsFunc(b.Sources(), func(y flow.Source) bool { return x == y && (!x.Calc || bound(x)) }) {
			return true
		}
	}
	return false
}

// bound reports a field of a request, which a framework has filled in: from what it
// was made nobody can see, and it is one value all the same.
func bound(x flow.Source) bool { return x.Event < 0 && x.Param >= 0 && x.Path != "" }

// fromOtherRows reports whether two values are copies out of the answers of two
// statements that have nothing in common.
func (c *candidate) fromOtherRows(a, b flow.Value) bool {
	other := func(s flow.Source) bool {
		return s.Calc || !slices.ContainsFunc(c.all, func(o stmt.Stmt) bool { return o.I == s.Event && o.Op == libs.Query })
	}
	x, y := a.Sources(), b.Sources()
	if len(x) == 0 || len(y) == 0 || slices.ContainsFunc(x, other) || slices.ContainsFunc(y, other) {
		return false
	}
	return !slices.ContainsFunc(x, func(s flow.Source) bool {
		return slices.ContainsFunc(y, func(t flow.Source) bool { return s.Event == t.Event })
	})
}
