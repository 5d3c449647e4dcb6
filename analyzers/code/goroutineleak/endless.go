package goroutineleak

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var stopName = regexp.MustCompile(`^(Close|Stop|Shutdown|Cancel|Quit|Destroy|Dispose|End|Halt|close|stop|shutdown)$`)

// waitName are names of methods that return when all work is done.
var waitName = regexp.MustCompile(`^(Wait|Join|Finish|Drain)(All|ForAll|Idle)?$`)

// endless judges a goroutine whose function never returns and that is started
// for each instance or each request.
func (j *judge) endless(g *ssa.Go) {
	fn := callers.Callee(g.Common())
	if fn == nil || fn.Blocks == nil || fn.Pkg != g.Parent().Pkg {
		return
	}
	per := j.lifetime(g)
	if per == "" {
		j.stopped(g, fn)
		j.worker(g, fn)
		return
	}
	why := j.noExit(fn, per, starter(g, per))
	if why == "" {
		return
	}
	j.loop(fn, tell.Story(
		"this goroutine never ends: "+why+", and one is started for each "+per,
		"  "+g.Parent().Name()+" starts it; the "+per+" is done with, closed or dropped",
		"  the goroutine goes on, and keeps alive all that it refers to: the next "+per+" adds another",
		"fix: give it a way to stop, a context or a stop channel that Close closes, and return when that is done",
	), tell.Place{Pos: g.Pos(), Text: "the goroutine is started here"})
}

// lifetime says for each of what the goroutine is started: "request", "call",
// "instance", or "" when it may well live as long as the process.
func (j *judge) lifetime(g *ssa.Go) string {
	starter := g.Parent()
	for fn := starter; fn != nil; fn = fn.Parent() {
		if libs.Handler(fn.Signature) != "" {
			return "request"
		}
	}
	if visits.MatchString(starter.Name()) && outlived(g) {
		return "call"
	}
	if starter.Parent() != nil || starter.Pkg.Pkg.Name() == "main" || strings.HasPrefix(starter.Name(), "init") {
		return ""
	}
	for _, v := range handed(g) {
		t := instance(v, starter)
		if t == nil {
			continue
		}
		if v == starterReceiver(starter) {
			if stops(t) {
				return "instance"
			}
			continue
		}
		if gives(starter, t) && !j.single(starter) {
			return "instance"
		}
	}
	return ""
}

// visits are names of functions that somebody calls for a while, again and again.
var visits = regexp.MustCompile(`(?i)watch|subscri|stream|follow|tail|observe`)

// outlived tells whether the function that starts a goroutine waits for the end of a
// context, and then returns.
func outlived(g *ssa.Go) bool {
	return cfg.Walk(g, func(in ssa.Instruction) cfg.Step {
		rx, ok := in.(*ssa.UnOp)
		if !ok || rx.Op != token.ARROW {
			return cfg.On
		}
		if c, ok := rx.X.(*ssa.Call); ok && place.CalleeName(c.Common()) == "(context.Context).Done" {
			return cfg.Found
		}
		return cfg.Stop
	}, nil)
}

// handed lists what the goroutine gets: arguments and captured variables.
func handed(g *ssa.Go) []ssa.Value {
	vals := slices.Clone(g.Call.Args)
	if mc, ok := g.Call.Value.(*ssa.MakeClosure); ok {
		vals = append(vals, mc.Bindings...)
	}
	for i, v := range vals {
		if a, ok := v.(*ssa.Alloc); ok {
			if s := place.Assigned(a); s != nil {
				vals[i] = s
			}
		}
	}
	return vals
}

// instance is the named type of the package that v points at, when v was made
// in the starter or is its receiver.
func instance(v ssa.Value, starter *ssa.Function) *types.Named {
	switch v.(type) {
	case *ssa.Alloc, *ssa.Parameter:
	default:
		return nil
	}
	n := pointee(v.Type())
	if n == nil || n.Obj().Pkg() != starter.Pkg.Pkg {
		return nil
	}
	return n
}

// pointee is the named type that a pointer points at, nil for any other type.
func pointee(t types.Type) *types.Named {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return nil
	}
	n, _ := types.Unalias(p.Elem()).(*types.Named)
	return n
}

func starterReceiver(fn *ssa.Function) ssa.Value {
	if fn.Signature.Recv() == nil || len(fn.Params) == 0 {
		return nil
	}
	return fn.Params[0]
}

// stops tells whether a type promises an end.
func stops(n *types.Named) bool { return has(n, stopName) }

// has tells whether a type has a method of such a name.
func has(n *types.Named, name *regexp.Regexp) bool {
	ms := types.NewMethodSet(types.NewPointer(n))
	for i := range ms.Len() {
		if name.MatchString(ms.At(i).Obj().Name()) {
			return true
		}
	}
	return false
}

// gives tells whether a function returns the instance, itself or as an interface.
func gives(fn *ssa.Function, n *types.Named) bool {
	for v := range fn.Signature.Results().Variables() {
		t := v.Type()
		if types.Identical(t, types.NewPointer(n)) || types.IsInterface(t) && t.String() != "error" && types.AssignableTo(types.NewPointer(n), t) {
			return true
		}
	}
	return false
}

// single tells whether all calls of a constructor happen once, when the
// program starts.
func (j *judge) single(fn *ssa.Function) bool {
	if fn.Object() != nil && fn.Object().Exported() {
		return false
	}
	for _, c := range j.calls.Calls(fn) {
		name := c.Parent().Name()
		if name != "init" && name != "main" || cfg.Within(c.Block()) {
			return false
		}
	}
	return len(j.calls.Calls(fn)) > 0
}

// starter is the function that starts a goroutine for each request, nil for others.
func starter(g *ssa.Go, per string) *ssa.Function {
	if per != "request" {
		return nil
	}
	return g.Parent()
}

// noExit says why a function never returns, "" when it can. per is what it is
// started for.
func (j *judge) noExit(fn *ssa.Function, per string, by *ssa.Function) string {
	if !loops(fn) {
		return ""
	}
	dead, silent := false, ""
	returns := cfg.WalkBlock(fn.Blocks[0], func(in ssa.Instruction) cfg.Step {
		if _, ok := in.(*ssa.Return); ok {
			return cfg.Found
		}
		if f := j.unfed(in, by); f != "" {
			silent = f
			return cfg.Stop
		}
		return cfg.On
	}, func(from, to *ssa.BasicBlock) bool {
		if tickerClosed(from, to) {
			dead = true
			return true
		}
		if f := j.neverTold(from, to); f != "" {
			silent = f
			return true
		}
		if f := j.neverClosed(from, to, per); f != "" {
			silent = f
			return true
		}
		return false
	})
	switch {
	case returns:
		return ""
	case silent != "":
		return "it would stop on " + silent + ", which nobody closes"
	case dead:
		return "its loop ranges over a ticker, and Stop does not close the channel of a ticker"
	}
	return "its loop has no exit"
}

func loops(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		if cfg.Within(b) {
			return true
		}
	}
	return false
}

// tickerClosed tells whether the edge is taken only when a ticker's channel is
// closed, which never happens.
func tickerClosed(from, to *ssa.BasicBlock) bool {
	br, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok || from.Succs[1] != to {
		return false
	}
	ex, ok := br.Cond.(*ssa.Extract)
	if !ok || ex.Index != 1 {
		return false
	}
	rx, ok := ex.Tuple.(*ssa.UnOp)
	if !ok || rx.Op != token.ARROW {
		return false
	}
	if c, ok := rx.X.(*ssa.Call); ok {
		return place.CalleeName(c.Common()) == "time.Tick"
	}
	ld, ok := rx.X.(*ssa.UnOp)
	if !ok {
		return false
	}
	fa, ok := ld.X.(*ssa.FieldAddr)
	return ok && strings.HasSuffix(fa.X.Type().String(), "time.Ticker")
}

// loopPos is the first loop of a function that has no condition.
func loopPos(fn *ssa.Function) token.Pos {
	at := fn.Pos()
	if fn.Syntax() == nil {
		return at
	}
	found := false
	ast.Inspect(fn.Syntax(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n == fn.Syntax()
		case *ast.ForStmt:
			if n.Cond == nil && !found {
				at, found = n.For, true
			}
		case *ast.RangeStmt:
			if !found {
				at, found = n.For, true
			}
		}
		return !found
	})
	return at
}
