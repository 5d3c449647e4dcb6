package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// wire is what the package puts into a field of interface type: a handle, and
// the name that it had before.
type wire struct {
	handle libs.Handle
	name   string
	known  bool // every store puts the same kind there
}

// wires looks at all stores into fields of interface type. An interface hides
// whether statements run on a pool or in a transaction; the constructor tells.
func wires(funcs []*ssa.Function) map[string]wire {
	found := map[string]wire{}
	for _, fn := range funcs {
		cfg.Each(fn, func(in ssa.Instruction) {
			st, ok := in.(*ssa.Store)
			if !ok {
				return
			}
			if fa, ok := st.Addr.(*ssa.FieldAddr); ok {
				wireField(found, fa, st.Val)
			}
		})
	}
	return found
}

func wireField(found map[string]wire, fa *ssa.FieldAddr, v ssa.Value) {
	_, class := fieldName(fa.X.Type(), fa.Field)
	if !types.IsInterface(v.Type()) || class == "" {
		return
	}
	w := wire{}
	if mi, ok := v.(*ssa.MakeInterface); ok {
		w = wire{handle: libs.HandleOf(mi.X.Type()), name: sourceName(mi.X), known: true}
	}
	old, seen := found[class]
	if seen && old.name != w.name {
		w.name = ""
	}
	w.known = w.known && (!seen || old.known && old.handle == w.handle) && w.handle > libs.AnyHandle
	found[class] = w
}

// sourceName is the name of a parameter or field.
func sourceName(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Parameter:
		return v.Name()
	case *ssa.UnOp:
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			name, _ := fieldName(fa.X.Type(), fa.Field)
			return name
		}
	}
	return ""
}
