package wallclock

import (
	"go/token"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	// renewName: when the holder of a lease said for the last time that it lives.
	renewName = regexp.MustCompile(`(?i)^(last_?)?(renew(ed|al)?|heart_?beat|refresh(ed)?)_?(time|at|on)?$`)
	// leaseName: something that one process holds and others wait for.
	leaseName  = regexp.MustCompile(`(?i)lease|leader|lock|election|master`)
	holderName = regexp.MustCompile(`(?i)^(holder|leader|owner|locked_?by)`)
)

// renewals finds leases whose age is told by the time that their holder wrote.
func (j *judge) renewals(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		at := token.NoPos
		if v, x, y := ordered(in); v != nil && (j.overAt(x, y) || j.overAt(y, x)) {
			at = v.Pos()
		}
		if b, ok := in.(*ssa.BinOp); ok && negated[b.Op] && (j.sinceRenewal(b.X) || j.sinceRenewal(b.Y)) {
			at = b.Pos()
		}
		if at.IsValid() {
			j.Found(at, tell.Story(
				"whether a lease is over is told by the time that its holder wrote, compared to the local clock",
				"  machine A holds the lease, and renews it at 12:00:00 by its clock",
				"  machine B is ahead by more than the lease is long: over already, it takes it; A goes on, and there are two holders",
				"fix: note when this process saw the record change, and let the lease be over that long after, by its own monotonic clock; or let the store expire it",
			), nil)
		}
	})
}

// overAt tells whether one side of a comparison is a renewal with something added,
// and the other the time now.
func (j *judge) overAt(end, now ssa.Value) bool {
	sum, ok := end.(*ssa.Call)
	r := j.clock.present(now)
	return ok && place.CalleeName(sum.Common()) == "(time.Time).Add" && renewed(sum.Call.Args[0]) && r.ok && !r.shifted
}

// sinceRenewal tells whether a value is the time since a renewal.
func (j *judge) sinceRenewal(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	switch place.CalleeName(c.Common()) {
	case "time.Since":
		return renewed(c.Call.Args[0])
	case "(time.Time).Sub":
		return j.clock.of(c.Call.Args[0]).ok && renewed(c.Call.Args[1])
	}
	return false
}

// renewed tells whether a value is the renewal of a record that came from elsewhere
// and says who holds it.
func renewed(v ssa.Value) bool {
	f, tag := fieldRead(v)
	if f == nil || !renewName.MatchString(f.Name()) || !tagName.MatchString(tag) {
		return false
	}
	return lease(recordOf(v))
}

// recordOf is the type that has the field which a value was read from.
func recordOf(v ssa.Value) types.Type {
	for range 4 {
		switch w := v.(type) {
		case *ssa.FieldAddr:
			return w.X.Type()
		case *ssa.Field:
			return w.X.Type()
		case *ssa.UnOp:
			v = w.X
		default:
			return nil
		}
	}
	return nil
}

// credentialName: what a service gives to a person, who owns it. The service that
// checks its end has set it.
var credentialName = regexp.MustCompile(`(?i)key|token|credential|grant|invit|coupon|subscription`)

// lease tells whether a type is something that one holds for a time, by its name, or
// because it has a holder.
func lease(t types.Type) bool {
	if t == nil {
		return false
	}
	if leaseName.MatchString(libs.TypeName(t)) {
		return true
	}
	if credentialName.MatchString(libs.TypeName(t)) {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if holderName.MatchString(f.Name()) {
			return true
		}
	}
	return false
}
