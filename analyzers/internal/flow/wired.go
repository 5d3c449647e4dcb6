package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// wire is what the package puts into a field that holds a handle, or an interface:
// the kind of handle, and the name that it had before.
type wire struct {
	handle libs.Handle
	name   string
	known  bool // every store puts the same kind there
}

// wires looks at all stores into such fields. An interface hides whether statements
// run on a pool or in a transaction, and a short name what a handle is for; the
// constructor tells.
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
	h := libs.HandleOf(v.Type())
	if !types.IsInterface(v.Type()) && h <= libs.AnyHandle || class == "" {
		return
	}
	w := wire{handle: h, name: sourceName(v), known: !types.IsInterface(v.Type())}
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

// sourceName is the name of a parameter or field, or what a call is named with that
// opens a handle: a parameter, a field, or a variable of the environment.
func sourceName(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Parameter:
		return v.Name()
	case *ssa.Extract:
		return sourceName(v.Tuple)
	case *ssa.Call:
		return openedOn(v)
	case *ssa.UnOp:
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			name, _ := fieldName(fa.X.Type(), fa.Field)
			return name
		}
	}
	return ""
}

// openedOn names the address that a handle was opened on.
func openedOn(c *ssa.Call) string {
	if calledFull(&c.Call) == "os.Getenv" {
		if name, ok := c.Call.Args[0].(*ssa.Const); ok && name.Value != nil {
			return constText(name)
		}
	}
	for _, a := range c.Call.Args {
		if isString(a.Type()) {
			if name := sourceName(a); name != "" {
				return name
			}
		}
	}
	return ""
}
