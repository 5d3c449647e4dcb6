package wallclock

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// sequence finds ids made of the clock and of a number that starts again in each
// tick, where nothing asks whether the clock went back: the ticks that it repeats
// give the same ids again.
func (j *judge) sequence(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		b, ok := in.(*ssa.BinOp)
		if !ok || b.Op != token.EQL && b.Op != token.NEQ || !j.sameTick(b.X, b.Y) || !packed(b.X, 0) || j.looksBack(b) {
			return
		}
		j.Found(b.Pos(), tell.Story(
			"an id is made of the clock and a number that starts again in each tick, and nothing asks whether the clock went back: then the same ids come again",
			"  the tick 12:00:00.900 gives the numbers 0, 1 and 2",
			"  NTP or a waking virtual machine sets the clock back by 50 ms; a while later it is 12:00:00.900 again",
			"  that tick is not the last one: the numbers begin with 0, and two rows have one id",
			"fix: when the clock is below the last tick, go on with the last tick (max(now, last)), or refuse until it has passed",
		), nil)
	})
}

// sameTick tells whether one is a reading and the other the field that keeps the
// last reading.
func (j *judge) sameTick(now, last ssa.Value) bool {
	f, _ := fieldRead(last)
	if f == nil {
		return false
	}
	r := j.clock.of(now)
	return r.ok && r.number && j.clock.fields[f].ok && j.clock.fields[f].number
}

// packed tells whether a number is shifted to make room for another.
func packed(v ssa.Value, depth int) bool {
	if depth > 5 {
		return false
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.BinOp:
			if r.Op == token.SHL && r.X == v || (r.Op == token.SUB || r.Op == token.AND) && packed(r, depth+1) {
				return true
			}
		case *ssa.Convert:
			if packed(r, depth+1) {
				return true
			}
		case *ssa.Phi:
			if packed(r, depth+1) {
				return true
			}
		}
	}
	return false
}

// looksBack tells whether a function compares a reading with the last one by order,
// and not only while it waits for the next tick.
func (j *judge) looksBack(same *ssa.BinOp) bool {
	yes, no := cfg.Sides(same.Block())
	if same.Op == token.NEQ {
		yes = no
	}
	found := false
	cfg.Each(same.Parent(), func(in ssa.Instruction) {
		b, ok := in.(*ssa.BinOp)
		if ok && negated[b.Op] && !yes[b.Block()] && (j.sameTick(b.X, b.Y) || j.sameTick(b.Y, b.X)) {
			found = true
		}
	})
	return found
}
