package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// instances are the method sets of the instances of generic types that the package
// hands over as an interface: without type arguments nobody knows what they implement.
func instances(fns []*ssa.Function) []Methods {
	var all []Methods
	seen := map[string]bool{}
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				mi, ok := in.(*ssa.MakeInterface)
				if !ok || !instance(mi.X.Type()) || seen[mi.X.Type().String()] {
					continue
				}
				seen[mi.X.Type().String()] = true
				all = append(all, methodsOf(mi.X.Type()))
			}
		}
	}
	return all
}

// instance reports whether a type, or what it points to, has type arguments.
func instance(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.TypeArgs().Len() > 0 && !types.IsInterface(n)
}

// methodsOf has the signatures of the instance, and the functions of the generic type.
func methodsOf(t types.Type) Methods {
	m := Methods{Name: t.String()}
	for sel := range types.NewMethodSet(t).Methods() {
		fn := sel.Obj().(*types.Func)
		m.Sigs = append(m.Sigs, signature(fn))
		m.Funcs = append(m.Funcs, fn.Origin().FullName())
	}
	return m
}
