package flow

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
)

// hooks are the fields for a function into which the package puts one of its own
// functions or methods, and nothing else ever: a handler that the constructor gives.
// They are known by declaration; a field that is exported may be set elsewhere. Link
// folds them in: an analyzer of one package sees the call as it is written.
func hooks(funcs []*ssa.Function) map[string]string {
	found := map[string]string{}
	for _, fn := range funcs {
		cfg.Each(fn, func(in ssa.Instruction) {
			st, ok := in.(*ssa.Store)
			if !ok {
				return
			}
			fa, ok := st.Addr.(*ssa.FieldAddr)
			if _, isFunc := st.Val.Type().Underlying().(*types.Signature); !ok || !isFunc {
				return
			}
			_, class := fieldName(fa.X.Type(), fa.Field)
			name := hook(st.Val)
			if old, seen := found[class]; seen && old != name || token.IsExported(class[strings.LastIndexByte(class, '.')+1:]) {
				name = ""
			}
			if class != "" {
				found[class] = name
			}
		})
	}
	return found
}

// hook names a function, or the method of a method value.
func hook(v ssa.Value) string {
	for {
		t, ok := v.(*ssa.ChangeType)
		if !ok {
			break
		}
		v = t.X
	}
	switch v := v.(type) {
	case *ssa.Function:
		if v.Parent() == nil {
			return funcName(v)
		}
	case *ssa.MakeClosure:
		fn := v.Fn.(*ssa.Function)
		if method, ok := fn.Object().(*types.Func); ok && strings.HasPrefix(fn.Synthetic, "bound method") {
			return method.FullName()
		}
	}
	return ""
}

// behind is the function value that a call finds in a field, as far as the package
// says. What a method is bound to is behind the field too, so a field that nobody
// else reaches is not followed: what is behind it others may reach.
func (f *frame) behind(e *Event) Value {
	v := f.value(e.On)
	if e.Behind == "" || !shared(v.Desc) {
		return v
	}
	d := Desc{Root: Func, Name: e.Behind}
	if strings.HasPrefix(e.Behind, "(") {
		bound := v.Desc.Part(".receiver")
		bound.Class = ""
		d.Args = []Desc{bound}
	}
	return Value{Desc: d}
}
