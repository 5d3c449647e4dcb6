package wallclock

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
)

var (
	// madeName: when something was made or sent, which is in the future only by
	// another clock.
	madeName = regexp.MustCompile(`(?i)^(created|signed|sent|issued|signature_?created|generated|timestamp)(_?(at|on|time))?$`)
	// holdName: until when somebody holds something.
	holdName = regexp.MustCompile(`(?i)^(lease|lock(ed)?|held|claim(ed)?)_?(until|expir\w*|ends?(_at)?)$`)
	// accountName is what is locked, and held by nobody.
	accountName = regexp.MustCompile(`(?i)user|account|member|login|credential|customer|profile|attempt`)
)

// unowned tells whether a time that no structure has is the beginning or the end of
// something that another machine issued: a parameter or a column, by what stands
// beside it; or whether a structure is refused because it was made in the future.
func (j *judge) unowned(c compared) bool {
	if p, ok := plain(c.other).(*ssa.Parameter); ok {
		beside := func(name *regexp.Regexp) bool {
			return slices.ContainsFunc(p.Parent().Params, func(q *ssa.Parameter) bool { return q != p && name.MatchString(q.Name()) })
		}
		return refuses(c.v) && (startsName.MatchString(p.Name()) || madeName.MatchString(p.Name()) && c.future() && (beside(endsName) || signed(p.Parent())))
	}
	if f, tag := fieldRead(plain(c.other)); f != nil && nullable(plain(c.other)) == nil {
		t := recordOf(plain(c.other))
		return madeName.MatchString(f.Name()) && c.future() && refuses(c.v) && ends(t) || endsName.MatchString(f.Name()) && tagName.MatchString(tag) && lease(t)
	}
	name, table := column(c.other)
	switch {
	case startsName.MatchString(name):
		return refuses(c.v)
	case holdName.MatchString(name):
		return !accountName.MatchString(table)
	}
	return endsName.MatchString(name) && leaseName.MatchString(table)
}

// future tells whether a comparison asks if the other time lies ahead.
func (c compared) future() bool {
	switch v := c.v.(type) {
	case *ssa.BinOp:
		return (v.X == c.other) == (v.Op == token.GTR || v.Op == token.GEQ)
	case *ssa.Call:
		return (v.Call.Args[0] == c.other) == (place.CalleeName(v.Common()) == "(time.Time).After")
	}
	return false
}

// ends tells whether a structure has a field that says when it is over.
func ends(t types.Type) bool {
	if t = element(t); t == nil {
		return false
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if endsName.MatchString(f.Name()) {
			return true
		}
	}
	return false
}
