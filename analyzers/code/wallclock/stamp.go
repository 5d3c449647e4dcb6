package wallclock

import (
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	// lastName: when something was done for the last time.
	lastName = regexp.MustCompile(`(?i)^last_?\w+`)
	// takenName: when a worker took a row for itself.
	takenName = regexp.MustCompile(`(?i)(lock|claim|leas|pick|acquir|reserv)ed_?at$`)
)

// coarse is a limit beside which the distance of two clocks does not count.
const coarse = time.Hour

// storedStamps finds the age of a stamp in a store that all instances share, which
// one of them set with its own clock, compared with a short limit.
func (j *judge) storedStamps(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		v, ok := in.(ssa.Value)
		if !ok {
			return
		}
		x := j.agedBy(v)
		if x == nil || !harmless(v) || !short(v, 0) || !j.ownStamp(x, fn) && !j.keyStamp(x, fn) {
			return
		}
		j.Found(v.Pos(), tell.Story(
			"the age of a stamp in a shared store decides: one instance set it with its clock, and another compares it with its own",
			"  instance A, whose clock is 20 s behind, stores 12:00:00",
			"  instance B reads it at 12:00:21 by its clock, 1 s later: 21 s old already",
			"fix: let the store set and compare the time (now() in the statement, TIME), or let it forget the entry (SET with EX); a limit that one clock measures needs no stamp",
		), nil)
	})
}

// agedBy is the stamp whose distance to the clock a value is, nil when it is none.
func (j *judge) agedBy(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.BinOp:
		if r := j.clock.of(v.X); v.Op == token.SUB && r.ok && !r.shifted {
			return v.Y
		}
	case *ssa.Call:
		switch place.CalleeName(v.Common()) {
		case "time.Since":
			return v.Call.Args[0]
		case "(time.Time).Sub":
			if j.clock.of(v.Call.Args[0]).ok {
				return v.Call.Args[1]
			}
		}
	}
	return nil
}

// short tells whether a distance is compared, and with no limit so long that two
// clocks agree about it well enough. What the limit is need not be known.
func short(d ssa.Value, depth int) bool {
	compared := false
	for _, r := range *d.Referrers() {
		switch r := r.(type) {
		case *ssa.BinOp:
			if !negated[r.Op] {
				return false
			}
			limit := r.X
			if limit == d {
				limit = r.Y
			}
			if k, ok := limit.(*ssa.Const); ok && k.Value != nil && long(k, d) {
				return false
			}
			compared = true
		case *ssa.Call:
			compared = compared || depth == 0 && strings.HasPrefix(place.CalleeName(r.Common()), "(time.Duration).") && short(r, 1)
		}
	}
	return compared
}

// long tells whether a limit is coarse in the unit of a distance.
func long(k *ssa.Const, d ssa.Value) bool {
	n, ok := constant.Float64Val(constant.ToFloat(k.Value))
	if !ok {
		return false
	}
	unit := float64(time.Second)
	switch {
	case d.Type().String() == "time.Duration":
		unit = 1
	default:
		switch c := source(d); {
		case strings.HasSuffix(c, "Hours"), strings.HasSuffix(c, "Minutes"):
			return true
		case strings.HasSuffix(c, "Nano"):
			unit = 1
		case strings.HasSuffix(c, "Micro"):
			unit = float64(time.Microsecond)
		case strings.HasSuffix(c, "Milli"), strings.HasSuffix(c, "Milliseconds"):
			unit = float64(time.Millisecond)
		}
	}
	return n*unit > float64(coarse)
}

// source is the function whose answer a distance was computed from.
func source(d ssa.Value) string {
	if b, ok := d.(*ssa.BinOp); ok {
		d = b.X
	}
	if c, ok := d.(*ssa.Call); ok {
		return place.CalleeName(c.Common())
	}
	return ""
}

// ownStamp tells whether a value comes from a column that the package gives readings
// to: the last time of something that this function also notes, or the time at which
// a row was taken.
func (j *judge) ownStamp(v ssa.Value, fn *ssa.Function) bool {
	name, _ := column(v)
	if f, tag := fieldRead(plain(v)); f != nil && !tagName.MatchString(tag) && nullable(plain(v)) == nil {
		return false
	}
	by := j.stamped[flow.Column(name)]
	return takenName.MatchString(name) && len(by) > 0 || lastName.MatchString(name) && slices.Contains(by, fn)
}

// keyStamp tells whether a value was read from a key of a key-value server to which
// the package writes readings: here, or under a name that begins alike.
func (j *judge) keyStamp(v ssa.Value, fn *ssa.Function) bool {
	c := answer(v, 0)
	if c == nil {
		return false
	}
	for _, w := range j.keyed {
		if w.Parent() == fn || keyText(w) != "" && keyText(w) == keyText(c) {
			return true
		}
	}
	return false
}

// keyWrites are the calls that write a reading to a key-value server.
func (j *judge) keyWrites() (all []*ssa.Call) {
	for _, fn := range j.fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			c, ok := in.(*ssa.Call)
			if ok && operation(c) == libs.KVWrite && slices.ContainsFunc(flat(c), j.reads) {
				all = append(all, c)
			}
		})
	}
	return all
}

// answer is the call that read a key, whose answer was made a number or a time.
func answer(v ssa.Value, depth int) *ssa.Call {
	if depth > 8 {
		return nil
	}
	switch v := plain(v).(type) {
	case *ssa.Extract:
		return answer(v.Tuple, depth+1)
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok && place.Assigned(a) != nil {
			return answer(place.Assigned(a), depth+1)
		}
	case *ssa.Phi:
		for _, e := range v.Edges {
			if c := answer(e, depth+1); c != nil {
				return c
			}
		}
	case *ssa.Call:
		if operation(v) == libs.KVRead {
			return v
		}
		i := 0
		if strings.HasPrefix(place.CalleeName(v.Common()), "time.Parse") {
			i = 1 // after the layout
		}
		if len(v.Call.Args) > i {
			return answer(v.Call.Args[i], depth+1)
		}
	}
	return nil
}

// operation is what a call of a library does, "" when that is not known.
func operation(c *ssa.Call) libs.Op {
	f := c.Call.Method
	if fn := c.Call.StaticCallee(); fn != nil {
		f, _ = fn.Object().(*types.Func)
	}
	if f == nil {
		return ""
	}
	if row := libs.Lookup(f); row != nil {
		return row.Op
	}
	return ""
}

// keyText is the constant part of the key that a call names.
func keyText(c *ssa.Call) string {
	for _, a := range c.Call.Args {
		if s := constantIn(a, 0); s != "" {
			return s
		}
	}
	return ""
}

func constantIn(v ssa.Value, depth int) string {
	if s, ok := text(v); ok || depth > 3 {
		return s
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		return constantIn(v.X, depth+1)
	case *ssa.Call:
		if len(v.Call.Args) > 0 && v.Type().String() == "string" {
			return constantIn(v.Call.Args[0], depth+1)
		}
	}
	return ""
}
