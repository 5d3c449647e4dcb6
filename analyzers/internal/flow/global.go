package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// Constant is a variable of a package that keeps what its declaration gave it: a
// text, as that of a statement, or a structure, as options are.
type Constant struct {
	Name  string // "path.Name"
	Text  string
	Parts Fields // the constant fields of a structure, or of what it points to
}

// constants are those of a package, by name.
func constants(pkg *ssa.Package, funcs []*ssa.Function) map[string]Constant {
	all := map[string]Constant{}
	init := pkg.Func("init")
	if init == nil {
		return all
	}
	made := map[ssa.Value]*ssa.Global{} // the structure that a variable points to, or is a copy of
	cfg.Each(init, func(in ssa.Instruction) {
		st, ok := in.(*ssa.Store)
		if !ok {
			return
		}
		if g, ok := st.Addr.(*ssa.Global); ok {
			made[copiedFrom(st.Val)] = g
			if c, ok := handedOn(st.Val).(*ssa.Const); ok && isString(c.Type()) && c.Value != nil {
				all[g.String()] = Constant{Name: g.String(), Text: constText(c)}
			}
		}
	})
	cfg.Each(init, func(in ssa.Instruction) {
		if st, ok := in.(*ssa.Store); ok {
			constantField(all, made, st)
		}
	})
	for _, f := range funcs {
		cfg.Each(f, func(in ssa.Instruction) { replace(all, in) })
	}
	return all
}

// handedOn is what a function was given that returns it in another dress: the text
// of a script.
func handedOn(v ssa.Value) ssa.Value {
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil || len(call.Call.Args) == 0 {
		return v
	}
	fn, _ := call.Call.StaticCallee().Object().(*types.Func)
	if row := libs.Lookup(fn); row != nil && row.Op == libs.Pass {
		return call.Call.Args[0]
	}
	return v
}

// copiedFrom is where the value of a structure lies that is copied.
func copiedFrom(v ssa.Value) ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		return load.X
	}
	return v
}

// constantField notes that a store puts a constant into a field of a variable.
func constantField(all map[string]Constant, made map[ssa.Value]*ssa.Global, st *ssa.Store) {
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
	k := all[g.String()]
	if k.Parts == nil {
		k = Constant{Name: g.String(), Parts: Fields{}}
	}
	name, _ := fieldName(fa.X.Type(), fa.Field)
	k.Parts["."+name] = Desc{Root: Const, Name: constText(c)}
	all[g.String()] = k
}

// replace takes out a variable that a function stores to, as a whole or in part.
func replace(all map[string]Constant, in ssa.Instruction) {
	st, ok := in.(*ssa.Store)
	if !ok {
		return
	}
	addr := st.Addr
	if fa, ok := addr.(*ssa.FieldAddr); ok {
		addr = copiedFrom(fa.X)
	}
	if g, ok := addr.(*ssa.Global); ok {
		delete(all, g.String())
	}
}

// exported are the constants that other packages can name, in one order.
func exported(all map[string]Constant) []Constant {
	var out []Constant
	for _, c := range all {
		if token.IsExported(c.Name[strings.LastIndexByte(c.Name, '.')+1:]) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Constant) int { return strings.Compare(a.Name, b.Name) })
	return out
}
