package sharedglobal

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// helpers judges what the function literals change that a goroutine of a loop calls by
// the variable of the function that starts it:
//
//	fail := func(err error) { errs = errors.Join(errs, err) }
//	for … { go func() { fail(work()) }() }
func (j *judge) helpers(fn, body *ssa.Function, loop map[*ssa.BasicBlock]bool) {
	if j.locks(body) { // it may call them under its lock
		return
	}
	cfg.Each(body, func(in ssa.Instruction) {
		c, ok := in.(ssa.CallInstruction)
		if !ok {
			return
		}
		mc := literal(c.Common().Value)
		if mc == nil || mc.Parent() != fn || loop[mc.Block()] {
			return
		}
		helper := mc.Fn.(*ssa.Function)
		s := j.summary(helper)
		if s == nil || s.Generated {
			return
		}
		for i := range s.Events {
			e := &s.Events[i]
			if k := e.On.N - len(helper.Params); changes(s, i) && e.On.Root == flow.Param && k >= 0 && k < len(mc.Bindings) && e.On.Path == "" && outside(mc.Bindings[k], loop) {
				j.found(e, "every goroutine that "+fn.Name()+" starts", "all goroutines of the loop")
			}
		}
	})
}

// literal is the function literal that a captured variable has, nil when it may have
// another.
func literal(v ssa.Value) *ssa.MakeClosure {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	fv, ok := v.(*ssa.FreeVar)
	if !ok {
		return nil
	}
	switch b := place.Captured(fv).(type) {
	case *ssa.MakeClosure:
		return b
	case *ssa.Alloc:
		mc, _ := place.Assigned(b).(*ssa.MakeClosure)
		return mc
	}
	return nil
}

// outside tells whether a variable was made outside of a loop.
func outside(v ssa.Value, loop map[*ssa.BasicBlock]bool) bool {
	in, ok := v.(ssa.Instruction)
	return !ok || !loop[in.Block()]
}
