package goroutineleak

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// stopped judges a goroutine that ranges over a ticker which somebody else stops.
func (j *judge) stopped(g *ssa.Go, fn *ssa.Function) {
	ticker := ranged(fn)
	if ticker == nil || g.Parent().Name() == "main" || j.noExit(fn, "", nil) == "" {
		return
	}
	stop := j.stop(ticker, fn)
	if !stop.IsValid() {
		return
	}
	j.loop(fn, tell.Story(
		"this goroutine never ends: its loop ranges over a ticker that is stopped to end it, and Stop does not close the channel of a ticker",
		"  the ticker is stopped: no tick will come",
		"  the goroutine waits for the next one, and keeps alive all that it refers to",
		"fix: give it a way to stop, a context or a stop channel that is closed beside Stop, and return when that is done",
	), tell.Place{Pos: stop, Text: "the ticker is stopped here"}, tell.Place{Pos: g.Pos(), Text: "the goroutine is started here"})
}

// stop is where another function than the goroutine's stops the ticker.
func (j *judge) stop(ticker ssa.Value, fn *ssa.Function) (at token.Pos) {
	made := j.source(ticker, 0)
	if made == nil {
		return token.NoPos
	}
	for _, other := range j.fns {
		if other == fn || other.Parent() == fn {
			continue
		}
		cfg.Each(other, func(in ssa.Instruction) {
			if t := ended(in); t != nil && j.source(t, 0) == made {
				at = in.Pos()
			}
		})
	}
	return at
}

// ended is the ticker that an instruction stops, or whose Stop it hands to others.
func ended(in ssa.Instruction) ssa.Value {
	switch in := in.(type) {
	case ssa.CallInstruction:
		if place.CalleeName(in.Common()) == "(*time.Ticker).Stop" {
			return in.Common().Args[0]
		}
	case *ssa.MakeClosure:
		if in.Fn.String() == "(*time.Ticker).Stop$bound" {
			return in.Bindings[0]
		}
	}
	return nil
}

// ranged is the ticker over which a function ranges.
func ranged(fn *ssa.Function) (ticker ssa.Value) {
	cfg.Each(fn, func(in ssa.Instruction) {
		rx, ok := in.(*ssa.UnOp)
		if !ok || rx.Op != token.ARROW || !rx.CommaOk {
			return
		}
		ld, ok := rx.X.(*ssa.UnOp)
		if !ok {
			return
		}
		if fa, ok := ld.X.(*ssa.FieldAddr); ok && strings.HasSuffix(fa.X.Type().String(), "time.Ticker") {
			ticker = fa.X
		}
	})
	return ticker
}

// source is where a value was made, or the field that it was read from.
func (j *judge) source(v ssa.Value, depth int) any {
	if depth > 6 || v == nil {
		return nil
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			return place.FieldOf(fa.X.Type(), fa.Field)
		}
		return j.source(v.X, depth+1)
	case *ssa.Alloc:
		if s := place.Assigned(v); s != nil {
			return j.source(s, depth+1)
		}
		return v
	case *ssa.FreeVar:
		return j.source(place.Captured(v), depth+1)
	case *ssa.Parameter:
		return j.source(j.passed(v), depth+1)
	case *ssa.Call:
		return v
	}
	return nil
}

// passed is the argument for a parameter of a function that is called once.
func (j *judge) passed(p *ssa.Parameter) ssa.Value {
	calls := j.calls.Calls(p.Parent())
	if len(calls) != 1 {
		return nil
	}
	for i, q := range p.Parent().Params {
		if q == p && i < len(calls[0].Common().Args) && callers.Callee(calls[0].Common()) == p.Parent() {
			return calls[0].Common().Args[i]
		}
	}
	return nil
}
