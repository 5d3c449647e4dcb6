package flow

import (
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// wire is what the package puts into a field or variable that holds a handle, or an interface:
// the kind of handle, and the name that it had before.
type wire struct {
	handle libs.Handle
	name   string
	known  bool // every store puts the same kind there
}

// wires looks at all stores into such fields and variables of the package. An interface hides whether statements
// run on a pool or in a transaction, and a short name what a handle is for; the
// constructor tells.
func wires(funcs []*ssa.Function) map[string]wire {
	found := map[string]wire{}
	for _, fn := range withInit(funcs) {
		cfg.Each(fn, func(in ssa.Instruction) {
			st, ok := in.(*ssa.Store)
			if !ok {
				return
			}
			switch at := st.Addr.(type) {
			case *ssa.FieldAddr:
				_, class := fieldName(at.X.Type(), at.Field)
				wireUp(found, class, st.Val)
			case *ssa.Global:
				wireUp(found, at.String(), st.Val)
			}
		})
	}
	return found
}

// withInit has the function too that gives the variables their first values.
func withInit(funcs []*ssa.Function) []*ssa.Function {
	if len(funcs) == 0 || funcs[0].Pkg == nil || funcs[0].Pkg.Func("init") == nil {
		return funcs
	}
	return append(funcs[:len(funcs):len(funcs)], funcs[0].Pkg.Func("init"))
}

func wireUp(found map[string]wire, class string, v ssa.Value) {
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

// openedOn names the address that a handle was opened on: the last of the texts that
// say where, and are no names of drivers.
func openedOn(c *ssa.Call) string {
	var text string
	for _, a := range c.Call.Args {
		if !isString(a.Type()) {
			continue
		}
		if k, ok := a.(*ssa.Const); ok && k.Value != nil {
			text = constText(k)
		} else if name := sourceName(a); name != "" {
			return name
		}
	}
	if calledFull(&c.Call) == "os.Getenv" || environment.MatchString(text) {
		return text
	}
	return ""
}

// environment is how a variable of the environment is called.
var environment = regexp.MustCompile(`^[A-Z][A-Z0-9]*_[A-Z0-9_]+$`)
