package growth

import (
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// pending judges the memory of requests that were sent and not answered yet: the
// answer alone takes an entry out, and nobody promised that there will be one. A
// registry of callbacks, whose owner takes each out again, sends nothing; and
// whoever waits for the answer and then forgets the request has both ends in hand.
func (j *judge) pending(in ssa.Instruction) {
	g, ok := j.grows[in]
	if !ok || g.key == nil || bounded(g.key) || j.bounds[g.holds] || len(j.answers[g.holds]) == 0 {
		return
	}
	if !shared(g) || !awaits(g.val.Type()) || !sends(in.Parent()) || !j.reachable(in.Parent(), 0) {
		return
	}
	above := map[*ssa.Function]bool{}
	j.above(in.Parent(), above)
	for _, d := range j.answers[g.holds] {
		if !wakes(d.Parent()) || j.meets(d.Parent(), above, 0) {
			return
		}
	}
	j.Found(g.pos, tell.Story(
		named(g.holds)+" keeps each request until its answer comes, and nothing in this package that can run forgets one that is never answered",
		"  a request is sent, and remembered under its key",
		"  the other side is gone, or the packet is lost: there is no answer",
		"  the entry stays, with all that it refers to, and memory rises until the process is killed",
		"fix: store when it was sent, and delete what is older than the time-out in a ticker or before the next is added; or wait with a time-out and delete in a defer",
	), nil, tell.Place{Pos: j.answers[g.holds][0].Pos(), Text: "only the answer takes it out, here"})
}

// awaits tells whether a value has somebody who waits: a function to call or a
// channel to send to.
func awaits(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return true
	case *types.Pointer:
		_, nested := u.Elem().Underlying().(*types.Struct)
		return nested && awaits(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			switch f.Type().Underlying().(type) {
			case *types.Chan, *types.Signature:
				return true
			}
		}
	}
	return false
}

var sendName = regexp.MustCompile(`(?i)send|write|publish|request|transmit|emit`)

// sends tells whether a function sends something to the other side.
func sends(fn *ssa.Function) bool {
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		if c, ok := in.(ssa.CallInstruction); ok {
			found = found || sendName.MatchString(calledAs(c.Common()))
		}
	})
	return found
}

// calledAs is the name of what is called: of a function, of a method behind an
// interface, or of the variable or field that has the function.
func calledAs(c *ssa.CallCommon) string {
	switch {
	case c.IsInvoke():
		return c.Method.Name()
	case c.StaticCallee() == nil:
		return place.Of(c.Value).String()
	}
	return place.CalleeName(c)
}

// wakes tells whether a function hands an answer to somebody: it calls a function
// that it was given, or sends.
func wakes(fn *ssa.Function) bool {
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.Send, *ssa.Select:
			found = true
		case ssa.CallInstruction:
			c := in.Common()
			_, builtin := c.Value.(*ssa.Builtin)
			found = found || !c.IsInvoke() && !builtin && c.StaticCallee() == nil
		}
	})
	return found
}

// above gathers a function, those around it and those that call it.
func (j *judge) above(fn *ssa.Function, seen map[*ssa.Function]bool) {
	if fn == nil || seen[fn] {
		return
	}
	seen[fn] = true
	j.above(fn.Parent(), seen)
	for _, c := range j.calls.Calls(fn) {
		j.above(c.Parent(), seen)
	}
}

// meets tells whether one of those functions leads to fn.
func (j *judge) meets(fn *ssa.Function, above map[*ssa.Function]bool, depth int) bool {
	if fn == nil || depth > 6 {
		return false
	}
	return above[fn] || j.meets(fn.Parent(), above, depth+1) ||
		slices.ContainsFunc(j.calls.Calls(fn), func(c ssa.CallInstruction) bool { return j.meets(c.Parent(), above, depth+1) })
}
