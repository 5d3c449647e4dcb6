package wallclock

import (
	"go/constant"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// after is a query for the rows whose timestamp is above a given one, the earliest
// first: the text up to the condition, its column, its placeholder, and the column of
// the order.
var after = regexp.MustCompile(`(?is)^(.*\bwhere\b.*?\b)(\w*(?:created|inserted|updated|modified|changed|recorded|occurred|timestamp)\w*)\s*>=?\s*(\$\d+|\?|[:@]\w+).*\border\s+by\s+(?:\w+\.)?(\w+)(?:\s+asc\b)?\s*(?:[,;)]|limit\b|fetch\b|for\b|$)`)

// cursor finds a reader that goes on after the largest timestamp that it has seen:
// the field that it compares with is the field that it fills from the rows.
func (j *judge) cursor(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(*ssa.Call)
		if !ok {
			return
		}
		for _, v := range above(c) {
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
	})
}

// above returns what a call compares the timestamp of rows with: the value of the
// placeholder, and all values where that has a name.
func above(c *ssa.Call) []ssa.Value {
	var values []ssa.Value
	n := none
	for _, a := range c.Call.Args {
		if k, ok := a.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.String {
			n = max(n, placed(constant.StringVal(k.Value)))
		}
		values = append(values, place.Variadic(a)...)
	}
	switch {
	case n == named:
		return values
	case n >= 0 && n < len(values):
		return values[n : n+1]
	}
	return nil
}

// What is no index of a value.
const (
	named = -1
	none  = -2
)

// placed is the index of the value that a query compares the timestamp with, named
// where it has a name, and none in any other query.
func placed(sql string) int {
	m := after.FindStringSubmatch(sql)
	if m == nil || !strings.EqualFold(m[2], m[4]) {
		return none
	}
	switch m[3][0] {
	case '$':
		n, err := strconv.Atoi(m[3][1:])
		if err != nil {
			return none
		}
		return n - 1
	case '?':
		return strings.Count(m[1], "?")
	}
	return named
}

// filled tells whether the package hands out the address of a field, as to Scan, or
// sets it to what was read from another structure.
func (j *judge) filled(f *types.Var) bool {
	for _, fa := range place.Addresses(j.fns, f) {
		for _, r := range *fa.Referrers() {
			switch r := r.(type) {
			case *ssa.MakeInterface:
				return true
			case *ssa.Store:
				if from, _ := fieldRead(r.Val); from != nil && from != f {
					return true
				}
			}
		}
	}
	return false
}
