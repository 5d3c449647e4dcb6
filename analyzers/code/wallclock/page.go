package wallclock

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// page finds the same reader where the caller remembers the timestamp: it comes in as
// a parameter, and the function answers with where to go on.
func (j *judge) page(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(*ssa.Call)
		if !ok {
			return
		}
		for _, v := range above(c) {
			if mi, ok := v.(*ssa.MakeInterface); ok {
				v = mi.X
			}
			if p, ok := v.(*ssa.Parameter); ok && isTime(p.Type()) && goesOn(fn, p) {
				j.Found(in.Pos(), tell.Story(
					"a reader goes on after the timestamp of the last row: rows that have the same one, or come later with an earlier one, are never read",
					"  rows 100 and 101 are stamped 12:00:00.1, and the page ends between them",
					"  the next page begins above 12:00:00.1: row 101 is on none",
					"fix: order by the timestamp and the id, and go on after both, (created_at, id) > ($1, $2); or go on after a number that the database gives in the order of commits",
				), nil)
				return
			}
		}
	})
}

// goesOn tells whether a function answers with a time that it was not given.
func goesOn(fn *ssa.Function, p *ssa.Parameter) bool {
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		r, ok := in.(*ssa.Return)
		if !ok {
			return
		}
		for _, v := range r.Results {
			if _, constant := v.(*ssa.Const); v.Type().String() == p.Type().String() && v != ssa.Value(p) && !constant {
				found = true
			}
		}
	})
	return found
}
