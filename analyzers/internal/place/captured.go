package place

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Captured is what a closure captured under the name: the variable itself when it is
// captured by reference, its value otherwise; nil when nobody makes the closure.
func Captured(v *ssa.FreeVar) ssa.Value {
	fn := v.Parent()
	if fn.Parent() == nil {
		return nil
	}
	for _, b := range fn.Parent().Blocks {
		for _, in := range b.Instrs {
			mc, ok := in.(*ssa.MakeClosure)
			if !ok || mc.Fn != fn {
				continue
			}
			for i, f := range fn.FreeVars {
				if f == v {
					return mc.Bindings[i]
				}
			}
		}
	}
	return nil
}

// Settled is the value that a variable has for good, when it is a local one that is
// assigned once, or one that a closure has captured; v itself otherwise.
func Settled(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return v
	}
	variable := load.X
	for f, ok := variable.(*ssa.FreeVar); ok; f, ok = variable.(*ssa.FreeVar) {
		variable = Captured(f)
	}
	if local, ok := variable.(*ssa.Alloc); ok {
		if val := Assigned(local); val != nil {
			return val
		}
	}
	return v
}
