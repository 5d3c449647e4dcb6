package place

import "golang.org/x/tools/go/ssa"

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
