package wallclock

import (
	"go/constant"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// after is a query for the rows whose timestamp is above a given one.
var after = regexp.MustCompile(`(?is)\bselect\b.*\bwhere\b.*\b\w*(created|inserted|updated|modified|changed|recorded|occurred|timestamp)\w*\s*>=?\s*(\$\d|\?|[:@]\w).*\border\s+by\b`)

// cursor finds a reader that goes on after the largest timestamp that it has seen:
// the field that it compares with is the field that it fills from the rows.
func (j *judge) cursor(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(*ssa.Call)
		if !ok || !asksAfter(c) {
			return
		}
		for _, a := range c.Call.Args {
			for _, v := range place.Variadic(a) {
				if mi, ok := v.(*ssa.MakeInterface); ok {
					v = mi.X
				}
				if f, _ := fieldRead(v); f != nil && isTime(f.Type()) && j.filled(f) {
					j.Found(in.Pos(), tell.Story(
						"a reader goes on after the largest timestamp that it has seen: rows that come later with an earlier one are never read",
						"  writer A stamps its row 12:00:00.1, and commits at 12:00:00.5; or its clock is behind",
						"  writer B stamps its row 12:00:00.3, and commits at once; the reader sees it and remembers 12:00:00.3",
						"  A's row is below that for ever",
						"fix: go on after a number that the database gives in the order of commits, and read again what is younger than the longest transaction; or mark the rows that were read",
					), nil)
					return
				}
			}
		}
	})
}

func asksAfter(c *ssa.Call) bool {
	for _, a := range c.Call.Args {
		if k, ok := a.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.String && after.MatchString(constant.StringVal(k.Value)) {
			return true
		}
	}
	return false
}

// filled tells whether the package hands out the address of a field, as to Scan, or
// sets it to what was read from another structure.
func (j *judge) filled(f *types.Var) bool {
	found := false
	for _, fn := range j.fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			fa, ok := in.(*ssa.FieldAddr)
			if !ok || place.FieldOf(fa.X.Type(), fa.Field) != f {
				return
			}
			for _, r := range *fa.Referrers() {
				switch r := r.(type) {
				case *ssa.MakeInterface:
					found = true
				case *ssa.Store:
					from, _ := fieldRead(r.Val)
					found = found || from != nil && from != f
				}
			}
		})
	}
	return found
}
