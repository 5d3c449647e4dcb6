package wallclock

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	startName   = regexp.MustCompile(`(?i)start|beg[aiu]n|launch|opened|acquired|resum|spawned|boot`)
	elapsedName = regexp.MustCompile(`(?i)elapsed|duration|uptime|took|latency|runtime|spent|runningfor|running_for`)
	tagName     = regexp.MustCompile(`\b(json|db|gorm|bson|yaml|toml|xml|msgpack|bun|dynamodbav|firestore|datastore|redis|mapstructure|sql|pg|xorm|orm|ch):"`)
)

// elapsed finds distances between two points of the wall clock.
func (j *judge) elapsed(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.BinOp:
			j.difference(in)
		case *ssa.Call:
			j.since(in)
		}
	})
}

// difference judges x - y over numbers, and the loop `now < start + limit`.
func (j *judge) difference(b *ssa.BinOp) {
	x, y := j.clock.of(b.X), j.clock.of(b.Y)
	switch b.Op {
	case token.SUB:
		if now(y) && j.due(b.X) || now(x) && j.due(b.Y) {
			j.late(b, "what is left until a deadline made of a Unix reading")
			return
		}
		if j.kept(b.X) && j.kept(b.Y) && !clamped(b) {
			j.told(b, "the difference of two Unix readings")
			return
		}
		if !x.ok || !x.number || x.shifted || clamped(b) {
			return
		}
		if y.ok && y.number && !y.shifted || j.kept(b.Y) || j.began(b) || j.echoed(b.Y) && !harmless(b) || (j.unpacked(b.Y, 0) || sent(b.Y)) && !harmless(b) {
			j.told(b, "the difference of two Unix readings")
		}
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
		if x.ok && y.ok && x.number && y.number && x.shifted != y.shifted || now(x) && j.due(b.Y) || now(y) && j.due(b.X) || j.before(x, b.Y) || j.before(y, b.X) {
			j.late(b, "a deadline made of one Unix reading and compared to another")
		}
		if x.ok && y.ok && x.number && y.number && !x.shifted && !y.shifted && refuses(b) {
			j.disordered(b)
		}
	}
}

// kept tells whether a number is a field that only ever holds readings of this
// process: it could have been a time.Time.
func (j *judge) kept(v ssa.Value) bool { return j.keptFrom(v, 0) }

// keptFrom is kept so many calls away: functions may call each other in a circle.
func (j *judge) keptFrom(v ssa.Value, depth int) bool {
	if depth > 4 {
		return false
	}
	if p, ok := v.(*ssa.Parameter); ok {
		args := j.clock.args(p)
		return len(args) > 0 && !slices.ContainsFunc(args, func(a ssa.Value) bool { return a != v && !j.keptFrom(a, depth+1) })
	}
	r, ok := j.given(v)
	return ok && r.ok && r.number && !r.shifted
}

// due tells whether a number is a deadline that this process keeps: nothing but
// readings with something added.
func (j *judge) due(v ssa.Value) bool {
	r, ok := j.given(v)
	return ok && r.ok && r.number && r.shifted && j.stays(v)
}

// before tells whether one is a reading with something taken away, and the other what
// this process keeps of an earlier one.
func (j *judge) before(limit reading, v ssa.Value) bool {
	return limit.ok && limit.number && limit.shifted && j.kept(v) && j.stays(v)
}

// now tells whether a reading is a number that says what time it is.
func now(r reading) bool { return r.ok && r.number && !r.shifted }

// given is what the variable or the field, one that nobody encodes, was given that a
// value was read from.
func (j *judge) given(v ssa.Value) (reading, bool) {
	if g, ok := loaded(v).(*ssa.Global); ok {
		return j.clock.fields[g], true
	}
	f, tag := fieldRead(v)
	if f == nil || tagName.MatchString(tag) {
		return reading{}, false
	}
	return j.clock.fields[f], true
}

// began tells whether a difference is the time since a stored start, for more
// than a comparison.
func (j *judge) began(b *ssa.BinOp) bool {
	f, tag := fieldRead(b.Y)
	if _, param := plain(b.Y).(*ssa.Parameter); f == nil && !param && !harmless(b) {
		return elapsedName.MatchString(b.Parent().Name()) && parsed(b.Y)
	}
	if f == nil || !tagName.MatchString(tag) || harmless(b) {
		return false
	}
	return startName.MatchString(f.Name()) || elapsedName.MatchString(b.Parent().Name())
}

// disordered reports two readings of one operation that must come in order.
func (j *judge) disordered(b ssa.Value) {
	j.Found(b.Pos(), tell.Story(
		"two readings of the wall clock must come in order: when the clock is set back between them, this fails",
		"  reads the clock before: 10:00:00.900",
		"  NTP or a waking virtual machine sets the clock back by 2 s",
		"  reads the clock after: 9:59:58.950, the end is before the beginning, and the operation is refused",
		"fix: take the second as the first plus time.Since(start), which uses the monotonic clock; or treat a negative distance as none",
	), nil)
}

// refuses tells whether a side of a branch on a value returns an error, or panics.
func refuses(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		br, ok := r.(*ssa.If)
		if !ok {
			continue
		}
		for _, side := range br.Block().Succs {
			switch end := side.Instrs[len(side.Instrs)-1].(type) {
			case *ssa.Panic:
				return true
			case *ssa.Return:
				if n := len(end.Results); n > 0 && failing(returned(end, n-1)) {
					return true
				}
			}
		}
	}
	return false
}

// returned is a result of a return: where deferred calls run before it, what was put
// into the variable of the result.
func returned(r *ssa.Return, i int) ssa.Value {
	v := r.Results[i]
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return v
	}
	for _, in := range r.Block().Instrs {
		if st, ok := in.(*ssa.Store); ok && st.Addr == load.X {
			v = st.Val
		}
	}
	return v
}

// failing tells whether a value is an error that was just made.
func failing(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Call:
		name := place.CalleeName(v.Common())
		return name == "errors.New" || name == "fmt.Errorf"
	case *ssa.UnOp:
		_, global := v.X.(*ssa.Global)
		return global && v.Type().String() == "error"
	}
	return false
}

func (j *judge) told(b ssa.Value, what string) {
	j.Found(b.Pos(), tell.Story(
		"elapsed time measured with the wall clock: "+what+" is negative or huge when the clock is set between them",
		"  reads the clock: 10:00:00.900",
		"  NTP or a waking virtual machine sets the clock back by 2 s",
		"  reads the clock again: 9:59:58.950, elapsed -1.95 s",
		"fix: keep the time.Time of time.Now and use time.Since(start), which uses the monotonic clock",
	), nil)
}

func (j *judge) late(b *ssa.BinOp, what string) {
	j.Found(b.Pos(), tell.Story(
		"a deadline kept by the wall clock: "+what+" is wrong by as much as the clock is set in between",
		"  reads the clock and adds 30 s: due at 10:00:30",
		"  NTP or a waking virtual machine sets the clock back by a minute, or forwards",
		"  reads the clock again: due in 90 s instead of 30, or at once",
		"fix: keep the time.Time of time.Now().Add(d) and compare it with time.Now, which uses the monotonic clock",
	), nil)
}

// since judges time.Since(x), now.Sub(x) and time.Until(x) where x has no monotonic reading.
func (j *judge) since(c *ssa.Call) {
	var x ssa.Value
	switch place.CalleeName(c.Common()) {
	case "time.Since":
		x = c.Call.Args[0]
	case "(time.Time).Sub":
		if !j.clock.of(c.Call.Args[0]).ok {
			return
		}
		x = c.Call.Args[1]
	default:
		return
	}
	if clamped(c) {
		return
	}
	if r := j.clock.start(x); r.ok && r.wall && !r.shifted {
		j.Found(c.Pos(), tell.Story(
			"elapsed time measured with the wall clock: UTC, In, Local, Round and Truncate drop the monotonic reading of the start",
			"  start is taken, the clock is set back by 2 s, and the elapsed time is negative",
			"fix: keep start := time.Now() as it is, and convert only what is stored or shown",
		), nil)
		return
	}
	if (j.stored(x, c) || j.unpacked(x, 0) || sent(x)) && !harmless(c) {
		j.Found(c.Pos(), tell.Story(
			"elapsed time since a stored time: it has no monotonic reading, and another clock, or this one before it was set, made it; the result can be negative",
			"  a process stores its start, 12:00:05 by its clock",
			"  the clock is set back, or another machine that is behind reads it at 12:00:03: elapsed -2 s",
			"fix: clamp it, max(0, time.Since(start)); or let the database that stored the time compute the difference",
		), nil)
	}
}

// stored tells whether x was read back from somewhere and is the start of something.
func (j *judge) stored(x ssa.Value, c *ssa.Call) bool {
	asked := elapsedName.MatchString(c.Parent().Name())
	if name, _ := column(x); name != "" && nullable(plain(x)) == nil && loadedLocal(x) && startName.MatchString(name) {
		return true
	}
	if c := answer(x, 0); c != nil && slices.ContainsFunc(flat(c), isStart) {
		return true
	}
	f, tag := fieldRead(x)
	if f != nil && !j.clock.fields[f].ok {
		return tagName.MatchString(tag) && (asked || startName.MatchString(f.Name()))
	}
	call, ok := x.(*ssa.Call)
	if !ok {
		ex, isTuple := x.(*ssa.Extract)
		if !isTuple {
			return false
		}
		call, ok = ex.Tuple.(*ssa.Call)
	}
	if !ok || !asked {
		return false
	}
	name := place.CalleeName(call.Common())
	return name == "time.Parse" || name == "time.Unix" || name == "time.UnixMilli" || name == "time.ParseInLocation"
}

// isStart tells whether a value is the constant name of a start.
func isStart(v ssa.Value) bool {
	name, ok := text(v)
	return ok && startName.MatchString(name)
}

// loadedLocal tells whether a value was read from a variable, and no structure.
func loadedLocal(v ssa.Value) bool {
	_, ok := loaded(plain(v)).(*ssa.Alloc)
	return ok
}

// clamped tells whether a negative distance is dealt with: max(0, d), or a
// comparison of d with zero.
func clamped(v ssa.Value) bool { return clampedFrom(v, map[ssa.Value]bool{}) }

// clampedFrom asks no value twice: those of a loop refer to each other.
func clampedFrom(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Call:
			name := place.CalleeName(r.Common())
			if name == "builtin.max" || strings.HasSuffix(name, ".Abs") || name == "math.Max" {
				return true
			}
		case *ssa.BinOp:
			if zero(r.X) || zero(r.Y) {
				return true
			}
		case *ssa.Convert:
			if clampedFrom(r, seen) {
				return true
			}
		case *ssa.Phi:
			if clampedFrom(r, seen) {
				return true
			}
		}
	}
	return false
}

// harmless tells whether a distance is only compared to a limit, or only shown.
func harmless(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.BinOp:
			if r.Op != token.LSS && r.Op != token.GTR && r.Op != token.LEQ && r.Op != token.GEQ {
				return false
			}
		case *ssa.MakeInterface:
		case *ssa.Call:
			name := place.CalleeName(r.Common())
			if !strings.HasPrefix(name, "(time.Duration).") || !harmless(r) {
				return false
			}
		case *ssa.DebugRef:
		case *ssa.Return:
			if !types.Identical(v.Type(), types.Typ[types.String]) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
