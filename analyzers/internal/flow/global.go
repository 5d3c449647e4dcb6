package flow

import "golang.org/x/tools/go/ssa"

// constantParts are the constant fields of the structures that the package's
// variables are declared with, as options often are: a variable, or what it
// points to.
func constantParts(pkg *ssa.Package) map[*ssa.Global]map[string]Desc {
	all := map[*ssa.Global]map[string]Desc{}
	init := pkg.Func("init")
	if init == nil {
		return all
	}
	made := map[ssa.Value]*ssa.Global{} // the structure that a variable points to
	for _, b := range init.Blocks {
		for _, in := range b.Instrs {
			if st, ok := in.(*ssa.Store); ok {
				if g, ok := st.Addr.(*ssa.Global); ok {
					made[st.Val] = g
				}
			}
		}
	}
	for _, b := range init.Blocks {
		for _, in := range b.Instrs {
			if st, ok := in.(*ssa.Store); ok {
				constantField(all, made, st)
			}
		}
	}
	return all
}

// constantField notes that a store puts a constant into a field of a variable.
func constantField(all map[*ssa.Global]map[string]Desc, made map[ssa.Value]*ssa.Global, st *ssa.Store) {
	fa, ok := st.Addr.(*ssa.FieldAddr)
	c, isConst := st.Val.(*ssa.Const)
	if !ok || !isConst || c.Value == nil {
		return
	}
	g, direct := fa.X.(*ssa.Global)
	if !direct {
		g = made[fa.X]
	}
	if g == nil {
		return
	}
	if all[g] == nil {
		all[g] = map[string]Desc{}
	}
	name, _ := fieldName(fa.X.Type(), fa.Field)
	all[g]["."+name] = Desc{Root: Const, Name: constText(c)}
}
