package goroutineleak

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// watcher judges a goroutine that waits for the context of its caller and nothing
// else, where a caller hands over one that never ends.
func (j *judge) watcher(g *ssa.Go) {
	fn, by := callers.Callee(g.Common()), g.Parent()
	if fn == nil || fn.Blocks == nil || fn.Pkg != by.Pkg {
		return
	}
	wait, ctx := waitsFor(fn)
	p := j.handedBy(g, ctx)
	if wait == nil || p == nil || !j.onePerCall(g) {
		return
	}
	call := j.forEver(p)
	if call == nil {
		return
	}
	j.Found(wait.Pos(), tell.Story(
		"this goroutine waits for a context that never ends: "+by.Name()+" returns without it, and one is left by each call",
		"  a caller hands over context.Background, which has no end",
		"  "+by.Name()+" is done and returns; the goroutine waits on, and keeps alive all that it refers to",
		"fix: ctx, cancel := context.WithCancel(ctx) and defer cancel(); or stop := context.AfterFunc(ctx, f) and defer stop(); or ask ctx.Err() in the loop",
	), nil, tell.Place{Pos: g.Pos(), Text: "the goroutine is started here"}, tell.Place{Pos: call.Pos(), Text: "this context never ends"})
}

// waitsFor is the receive from the Done of a context that a function comes to on
// every way, with the context.
func waitsFor(fn *ssa.Function) (*ssa.UnOp, ssa.Value) {
	for _, in := range fn.Blocks[0].Instrs {
		rx, ok := in.(*ssa.UnOp)
		if !ok || rx.Op != token.ARROW {
			continue
		}
		if c, ok := rx.X.(*ssa.Call); ok && place.CalleeName(c.Common()) == "(context.Context).Done" {
			return rx, c.Call.Value
		}
	}
	return nil, nil
}

// handedBy is the parameter of the function that starts a goroutine which the value
// in the goroutine stands for, nil when it is another.
func (j *judge) handedBy(g *ssa.Go, v ssa.Value) *ssa.Parameter {
	for range 4 {
		switch w := v.(type) {
		case *ssa.UnOp:
			v = w.X
		case *ssa.FreeVar:
			v = place.Captured(w)
		case *ssa.Alloc:
			v = place.Assigned(w)
		case *ssa.Parameter:
			if w.Parent() == g.Parent() {
				return w
			}
			for i, q := range w.Parent().Params {
				if q == w && i < len(g.Call.Args) {
					v = g.Call.Args[i]
				}
			}
		default:
			return nil
		}
	}
	return nil
}

// onePerCall tells whether the goroutine is left over when the function that starts
// it has returned: that function returns, and makes nothing that lives on as long as
// the process.
func (j *judge) onePerCall(g *ssa.Go) bool {
	by := g.Parent()
	for v := range by.Signature.Results().Variables() {
		if n := pointee(v.Type()); n != nil && !stops(n) {
			return false
		}
	}
	return by.Name() != "main" && !strings.HasPrefix(by.Name(), "init") && finishes(g)
}

// unended are the contexts that never end.
var unended = map[string]bool{"context.Background": true, "context.TODO": true}

// forEver is a call in the package that hands over a context without an end, outside
// of what runs once when the program starts.
func (j *judge) forEver(p *ssa.Parameter) ssa.CallInstruction {
	for _, c := range j.calls.Calls(p.Parent()) {
		name := c.Parent().Name()
		if name == "main" || strings.HasPrefix(name, "init") || c.Parent().Pkg.Pkg.Name() == "main" {
			continue
		}
		for i, q := range p.Parent().Params {
			if q != p || i >= len(c.Common().Args) {
				continue
			}
			if made, ok := c.Common().Args[i].(*ssa.Call); ok && unended[place.CalleeName(made.Common())] {
				return c
			}
		}
	}
	return nil
}
