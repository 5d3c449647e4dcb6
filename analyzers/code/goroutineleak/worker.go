package goroutineleak

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// worker judges a goroutine that takes its work from a channel of a structure which the
// function that starts it has made, and which nobody else gets: when that function has
// returned, nothing more will come.
func (j *judge) worker(g *ssa.Go, fn *ssa.Function) {
	by := g.Parent()
	own := slices.ContainsFunc(g.Call.Args, func(v ssa.Value) bool {
		a, ok := v.(*ssa.Alloc)
		return ok && instance(a, by) != nil && private(a, 0)
	})
	if !own || by.Name() == "main" || !finishes(g) || j.noExit(fn, "call", by) == "" {
		return
	}
	jobs := ""
	cfg.Each(fn, func(in ssa.Instruction) {
		if f := j.unfed(in, by); f != "" {
			jobs = f
		}
	})
	if jobs == "" {
		return
	}
	j.loop(fn, tell.Story(
		"this goroutine never ends: it waits for more on "+jobs+", which nobody closes, and "+by.Name()+", which alone sends there, returns",
		"  "+by.Name()+" has sent all, and returns; nobody else has the channel",
		"  the goroutine waits for the next value: each call of "+by.Name()+" leaves its goroutines behind",
		"fix: close the channel once all is sent, close("+jobs+"), which ends the range over it",
	), tell.Place{Pos: g.Pos(), Text: "the goroutine is started here"})
}

// private tells whether a structure is used for its fields and by the package's own
// functions, and kept or handed out by none of them.
func private(v ssa.Value, depth int) bool {
	return depth < 4 && !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.FieldAddr, *ssa.DebugRef:
			return false
		case *ssa.UnOp:
			return true // a copy has the channel, too
		case ssa.CallInstruction:
			fn := callers.Callee(r.Common())
			if fn == nil || fn.Pkg != r.Parent().Pkg || len(fn.Params) != len(r.Common().Args) {
				return true
			}
			i := slices.Index(r.Common().Args, v)
			return i < 0 || !private(fn.Params[i], depth+1)
		}
		return true
	})
}

// finishes tells whether the function that starts a goroutine returns after that.
func finishes(g *ssa.Go) bool {
	return cfg.Walk(g, func(in ssa.Instruction) cfg.Step {
		if _, ok := in.(*ssa.Return); ok {
			return cfg.Found
		}
		return cfg.On
	}, nil)
}
