package sharedglobal

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// goroutines judges what the goroutines that a function starts change.
func (j *judge) goroutines(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(ssa.CallInstruction)
		if !ok {
			return
		}
		body := started(c)
		if body == nil {
			return
		}
		s := j.summary(body)
		if s == nil || s.Generated {
			return
		}
		loop := cfg.Loop(in.Block())
		if loop != nil {
			j.helpers(fn, body, loop)
		}
		for i := range s.Events {
			e := &s.Events[i]
			switch {
			case !changes(s, i):
			case strings.Contains(e.On.Path, "[]"):
				// An element of a slice: each goroutine has its own.
			case loop != nil && (captured(c, body, e, loop) || handed(c, body, e, loop)):
				j.found(e, "every goroutine that "+fn.Name()+" starts", "all goroutines of the loop")
			case e.On.Root == flow.Global && e.On.Path == "" && worst(s, i):
				if at := j.readElsewhere(e.On.Name, body); at.IsValid() {
					j.found(e, "the goroutine that "+fn.Name()+" starts", users, at)
				}
			default:
				if at := j.beside(body, e); at.IsValid() {
					j.found(e, "the goroutine that "+fn.Name()+" starts", users, at)
				}
			}
		}
	})
}

// worst tells whether no other event of a goroutine says more about a global: the
// first that changes the map, which ends the process, or else the first that sets it.
func worst(s *flow.Summary, i int) bool {
	rank := func(k int) int {
		e := &s.Events[k]
		switch {
		case !changes(s, k) || e.On.Root != flow.Global || e.On.Path != "" || e.On.Name != s.Events[i].On.Name:
			return 2
		case e.Op == libs.Store:
			return 1
		}
		return 0
	}
	for k := range s.Events {
		if rank(k) < rank(i) || rank(k) == rank(i) && k < i {
			return false
		}
	}
	return true
}

// started is the function that a call runs in a goroutine.
func started(c ssa.CallInstruction) *ssa.Function {
	if g, ok := c.(*ssa.Go); ok {
		return callers.Callee(g.Common())
	}
	if name := place.CalleeName(c.Common()); strings.HasSuffix(name, ").Go") {
		for _, a := range c.Common().Args {
			if fn := callers.Function(a); fn != nil {
				return fn
			}
		}
	}
	return nil
}

// captured tells whether an event changes a variable that was made outside of
// the loop, so that all the goroutines of the loop have it in common.
func captured(c ssa.CallInstruction, body *ssa.Function, e *flow.Event, loop map[*ssa.BasicBlock]bool) bool {
	k := e.On.N - len(body.Params)
	if e.On.Root != flow.Param || k < 0 {
		return e.On.Root == flow.Global
	}
	mc := closure(c)
	if mc == nil || k >= len(mc.Bindings) {
		return false
	}
	v, ok := mc.Bindings[k].(ssa.Instruction)
	if !ok {
		return true // a parameter or a captured variable of the function itself
	}
	return !loop[v.Block()]
}

// handed tells whether an event changes something that a pointer leads to which all
// the goroutines of the loop got: the receiver of the method that they run.
func handed(c ssa.CallInstruction, body *ssa.Function, e *flow.Event, loop map[*ssa.BasicBlock]bool) bool {
	args := c.Common().Args
	if e.On.Root != flow.Param || e.On.N >= len(body.Params) || e.On.N >= len(args) || len(args) != len(body.Params) || e.On.Path == "" {
		return false
	}
	v := args[e.On.N]
	if _, pointer := v.Type().Underlying().(*types.Pointer); !pointer {
		return false
	}
	in, ok := v.(ssa.Instruction)
	return !ok || !loop[in.Block()]
}

func closure(c ssa.CallInstruction) *ssa.MakeClosure {
	if mc, ok := c.Common().Value.(*ssa.MakeClosure); ok {
		return mc
	}
	for _, a := range c.Common().Args {
		if mc, ok := a.(*ssa.MakeClosure); ok {
			return mc
		}
	}
	return nil
}

// readElsewhere is where another function than the goroutine's reads a global of
// this package without a lock.
func (j *judge) readElsewhere(name string, body *ssa.Function) token.Pos {
	for _, fn := range j.pkg.Funcs {
		if fn == body || fn.Parent() == body || strings.HasPrefix(fn.Name(), "init") || fn.Name() == "main" {
			continue
		}
		found := token.NoPos
		cfg.Each(fn, func(in ssa.Instruction) {
			u, ok := in.(*ssa.UnOp)
			if !ok {
				return
			}
			g, ok := u.X.(*ssa.Global)
			if ok && !found.IsValid() && g.Pkg != nil && g.Pkg.Pkg.Path()+"."+g.Name() == name {
				found = u.Pos()
			}
		})
		if found.IsValid() && !j.locks(fn) {
			return found
		}
	}
	return token.NoPos
}

// locks tells whether a function takes any lock.
func (j *judge) locks(fn *ssa.Function) bool {
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		if c, ok := in.(ssa.CallInstruction); ok {
			name := place.CalleeName(c.Common())
			found = found || strings.HasPrefix(name, "(*sync.") && strings.HasSuffix(name, "Lock")
		}
	})
	return found
}
