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

// tooYoung finds what is refused because too little time has passed since a server did
// something, by the stamp in its answer and the clock of this machine.
func (j *judge) tooYoung(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		v, stamp, young := j.limited(in)
		if v == nil || !j.answeredAt(stamp) || !refusesOn(v, young) {
			return
		}
		j.Found(in.Pos(), tell.Story(
			"the age of what a server did is its stamp taken from the local clock: two clocks decide whether enough time has passed",
			"  the server, whose clock is 2 h ahead, did it a minute ago: 14:00",
			"  this machine computes the age at 12:01 by its clock: -1:59 h, less than any limit",
			"  it refuses, and goes on refusing until its clock has come to 14:00",
			"fix: let the server say how old it is, a duration; or take its time, too, from the answer (the header Date); at least treat a negative age as none, max(0, age)",
		), nil)
	})
}

// limited reads an instruction as a comparison of the time since a stamp with a limit,
// and says on which outcome less has passed. A negative distance is not dealt with.
func (j *judge) limited(in ssa.Instruction) (v, stamp ssa.Value, young bool) {
	if c, ok := in.(*ssa.Call); ok {
		return j.untilThen(c)
	}
	b, ok := in.(*ssa.BinOp)
	if !ok || !negated[b.Op] {
		return nil, nil, false
	}
	less := b.Op == token.LSS || b.Op == token.LEQ
	for i, x := range []ssa.Value{b.X, b.Y} {
		if stamp := j.sinceWhat(x); stamp != nil && !clamped(x) {
			return b, stamp, less == (i == 0)
		}
		if stamp := j.leftUntil(x); stamp != nil && zero([]ssa.Value{b.Y, b.X}[i]) {
			return b, stamp, less != (i == 0)
		}
	}
	return nil, nil, false
}

// untilThen reads a call as a comparison of now with a stamp and something added.
func (j *judge) untilThen(c *ssa.Call) (v, stamp ssa.Value, young bool) {
	name := place.CalleeName(c.Common())
	after := name == "(time.Time).After"
	if !after && name != "(time.Time).Before" {
		return nil, nil, false
	}
	for i, now := range c.Call.Args {
		end, ok := c.Call.Args[1-i].(*ssa.Call)
		if ok && j.clock.present(now).ok && place.CalleeName(end.Common()) == "(time.Time).Add" {
			return c, end.Call.Args[0], after == (i == 1)
		}
	}
	return nil, nil, false
}

// sinceWhat is the time from which on a distance counts to now, in any unit; nil when
// a value is no such distance.
func (j *judge) sinceWhat(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.Convert:
		return j.sinceWhat(v.X)
	case *ssa.BinOp:
		if v.Op == token.SUB && now(j.clock.of(v.X)) {
			return v.Y
		}
	case *ssa.Call:
		switch name := place.CalleeName(v.Common()); {
		case name == "time.Since":
			return v.Call.Args[0]
		case name == "(time.Time).Sub" && j.clock.present(v.Call.Args[0]).ok:
			return v.Call.Args[1]
		case strings.HasPrefix(name, "(time.Duration).") && name != "(time.Duration).Abs":
			return j.sinceWhat(v.Call.Args[0])
		}
	}
	return nil
}

// leftUntil is the stamp of which a value says how much of a limit is left: the limit
// less its age, or the distance from now to it and the limit.
func (j *judge) leftUntil(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.BinOp:
		if v.Op == token.SUB {
			return j.sinceWhat(v.Y)
		}
	case *ssa.Call:
		name := place.CalleeName(v.Common())
		if name != "time.Until" && (name != "(time.Time).Sub" || !j.clock.present(v.Call.Args[1]).ok) {
			return nil
		}
		if end, ok := v.Call.Args[0].(*ssa.Call); ok && place.CalleeName(end.Common()) == "(time.Time).Add" {
			return end.Call.Args[0]
		}
	}
	return nil
}

// allows are names of functions that answer whether something may be done.
var allows = regexp.MustCompile(`(?i)^(is_?)?(allow|can|may|permit|eligible)`)

// refusesOn tells whether a branch on a comparison ends with an error, or with no where
// the question is whether something may be done, when it comes out in the given way.
func refusesOn(v ssa.Value, yes bool) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.If:
			side := r.Block().Succs[0]
			if !yes {
				side = r.Block().Succs[1]
			}
			if end, ok := side.Instrs[len(side.Instrs)-1].(*ssa.Return); ok && refusal(end) {
				return true
			}
		case *ssa.Return:
			if !yes && allows.MatchString(r.Parent().Name()) {
				return true
			}
		}
	}
	return false
}

func refusal(r *ssa.Return) bool {
	n := len(r.Results)
	if n == 0 {
		return false
	}
	err := returned(r, n-1)
	if _, own := err.(*ssa.MakeInterface); failing(err) || own && err.Type().String() == "error" {
		return true
	}
	k, ok := returned(r, 0).(*ssa.Const)
	return ok && k.Value != nil && k.Value.String() == "false" && allows.MatchString(r.Parent().Name())
}

// answeredAt tells whether a time is a field of what the package reads from the body of
// an HTTP response, or the header of one.
func (j *judge) answeredAt(v ssa.Value) bool {
	if v == nil {
		return false
	}
	if _, response := header(v); response {
		return true
	}
	f, _ := fieldRead(plain(v))
	t := element(recordOf(plain(v)))
	return f != nil && t != nil && !j.clock.fields[f].ok && j.fetched(t)
}

// fetched tells whether a function that has the body of a response decodes a value of a
// type, or one that has such values.
func (j *judge) fetched(t types.Type) bool {
	for _, fn := range j.fns {
		into, body := false, false
		cfg.Each(fn, func(in ssa.Instruction) {
			switch in := in.(type) {
			case *ssa.FieldAddr:
				body = body || in.X.Type().String() == "*net/http.Response" && fieldName(in.X.Type(), in.Field) == "Body"
			case ssa.CallInstruction:
				into = into || decodes(in.Common(), t)
				body = body || strings.HasSuffix(place.CalleeName(in.Common()), ".SetResult")
			}
		})
		if into && body {
			return true
		}
	}
	return false
}

// filler are functions that fill what they are given from bytes.
var filler = regexp.MustCompile(`\.(Unmarshal|Decode|SetResult)$`)

// decodes tells whether a call fills a value of a type.
func decodes(c *ssa.CallCommon, t types.Type) bool {
	return filler.MatchString(place.CalleeName(c)) && slices.ContainsFunc(c.Args, func(a ssa.Value) bool {
		mi, ok := a.(*ssa.MakeInterface)
		return ok && holds(mi.X.Type(), t, 0)
	})
}

// holds tells whether a type is another one, or has it in a field or as an element.
func holds(outer, t types.Type, depth int) bool {
	outer = element(outer)
	if outer == nil || types.Identical(outer, t) {
		return outer != nil
	}
	st, ok := outer.Underlying().(*types.Struct)
	if !ok || depth > 2 {
		return false
	}
	for f := range st.Fields() {
		if holds(f.Type(), t, depth+1) {
			return true
		}
	}
	return false
}
