package place

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
)

// maxDepth ends the naming of deep expressions; such a value is opaque.
const maxDepth = 12

// Of names a value.
func Of(v ssa.Value) Place { return of(v, 0) }

func of(v ssa.Value, depth int) Place {
	if depth > maxDepth {
		return opaque(v)
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return Place{Kind: Param, Index: index(v.Parent().Params, v)}
	case *ssa.FreeVar:
		return Place{Kind: Free, Index: index(v.Parent().FreeVars, v)}
	case *ssa.Global:
		return Place{Kind: Global, Name: globalName(v)}
	case *ssa.Const:
		return Place{Kind: Const, Name: constText(v)}
	case *ssa.Alloc:
		return ofAlloc(v, depth)
	case *ssa.FieldAddr:
		return field(v.X, v.Field, depth)
	case *ssa.Field:
		return field(v.X, v.Field, depth)
	case *ssa.IndexAddr:
		return elem(v.X, v.Index, depth)
	case *ssa.Index:
		return elem(v.X, v.Index, depth)
	case *ssa.Lookup:
		return elem(v.X, v.Index, depth)
	}
	return ofComputed(v, depth)
}

func ofComputed(v ssa.Value, depth int) Place {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return of(v.X, depth+1)
		}
	case *ssa.BinOp:
		return Place{Kind: Call, Name: v.Op.String(), Args: []Place{of(v.X, depth+1), of(v.Y, depth+1)}}
	case *ssa.ChangeType:
		return of(v.X, depth+1)
	case *ssa.Convert:
		return of(v.X, depth+1)
	case *ssa.ChangeInterface:
		return of(v.X, depth+1)
	case *ssa.MakeInterface:
		return of(v.X, depth+1)
	case *ssa.TypeAssert:
		if !v.CommaOk {
			return of(v.X, depth+1)
		}
	case *ssa.Slice:
		return ofSlice(v, depth)
	case *ssa.Call:
		return ofCall(v, depth)
	}
	return opaque(v)
}

// ofAlloc follows a variable that is assigned once to what it was given.
func ofAlloc(v *ssa.Alloc, depth int) Place {
	if s := Assigned(v); s != nil {
		return of(s, depth+1)
	}
	return opaque(v)
}

// Assigned is the one value ever stored into a local variable, nil if there
// are several or none, or if somebody else may store into it.
func Assigned(v *ssa.Alloc) ssa.Value {
	var val ssa.Value
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != v || val != nil {
				return nil
			}
			val = r.Val
		case *ssa.UnOp, *ssa.DebugRef, *ssa.FieldAddr:
		case *ssa.MakeClosure:
			if stores(r, v) {
				return nil
			}
		default:
			return nil
		}
	}
	return val
}

// stores tells whether a closure assigns to a variable it captured.
func stores(c *ssa.MakeClosure, v ssa.Value) bool {
	fn, ok := c.Fn.(*ssa.Function)
	if !ok {
		return true
	}
	for i, b := range c.Bindings {
		if b != v {
			continue
		}
		for _, r := range *fn.FreeVars[i].Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == fn.FreeVars[i] {
				return true
			}
		}
	}
	return false
}

func field(x ssa.Value, i, depth int) Place {
	return Place{Kind: Field, Name: FieldOf(x.Type(), i).Name(), Args: []Place{of(x, depth+1)}}
}

// FieldOf is the i-th field of a struct, or of what a pointer to one points at.
func FieldOf(t types.Type, i int) *types.Var {
	t = types.Unalias(t)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok { // a type parameter with a core type
		return types.NewField(token.NoPos, nil, "?", types.Typ[types.Invalid], false)
	}
	return st.Field(i)
}

// Addresses are the places where functions take the address of a field.
func Addresses(fns []*ssa.Function, f *types.Var) (all []*ssa.FieldAddr) {
	for _, fn := range fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			if fa, ok := in.(*ssa.FieldAddr); ok && FieldOf(fa.X.Type(), fa.Field) == f {
				all = append(all, fa)
			}
		})
	}
	return all
}

func elem(x, i ssa.Value, depth int) Place {
	return Place{Kind: Elem, Args: []Place{of(x, depth+1), of(i, depth+1)}}
}

// ofSlice names the arguments that the compiler packed for a variadic call.
func ofSlice(v *ssa.Slice, depth int) Place {
	if vals := Variadic(v); vals != nil {
		return Place{Kind: Call, Name: "...", Args: places(vals, depth)}
	}
	if v.Low == nil && v.High == nil {
		return of(v.X, depth+1)
	}
	return opaque(v)
}

// Variadic is the list of values packed into the slice of a variadic call, nil
// if v is another slice.
func Variadic(v ssa.Value) []ssa.Value {
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	arr, ok := s.X.(*ssa.Alloc)
	if !ok || arr.Comment != "varargs" {
		return nil
	}
	vals := make([]ssa.Value, 0, 4)
	for _, r := range *arr.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, r := range *ia.Referrers() {
			if st, ok := r.(*ssa.Store); ok {
				vals = append(vals, st.Val)
			}
		}
	}
	return vals
}

// ofCall names the result of a call by its arguments where the result is one
// plain value: the same question asked twice is taken to have the same answer.
func ofCall(v *ssa.Call, depth int) Place {
	name := CalleeName(v.Common())
	if name == "" || fresh(name) || len(v.Call.Args) > 8 {
		return opaque(v)
	}
	if _, plain := v.Type().Underlying().(*types.Basic); !plain && !strings.HasPrefix(name, "builtin.") {
		if v.Type().String() != "[]byte" {
			return opaque(v)
		}
	}
	args := places(v.Call.Args, depth)
	if v.Call.IsInvoke() {
		args = append([]Place{of(v.Call.Value, depth+1)}, args...)
	}
	return Place{Kind: Call, Name: name, Args: args}
}

func places(vals []ssa.Value, depth int) []Place {
	ps := make([]Place, len(vals))
	for i, a := range vals {
		ps[i] = of(a, depth+1)
	}
	return ps
}

// fresh tells whether a function answers differently each time.
func fresh(name string) bool {
	for _, w := range []string{"time.", "rand", "uuid", "ulid", "xid", "ksuid", "Next", "Read", "Recv", "nonce"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// CalleeName is the full name of what a call calls: "os.Stat",
// "(*sync.Map).Load", "(example.com/kv.Store).Get" for an interface method,
// "builtin.len"; empty for a call of a function value. A method value is one: its
// receiver is not among the arguments.
func CalleeName(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.FullName()
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return "builtin." + b.Name()
	}
	fn := c.StaticCallee()
	if fn == nil || strings.HasPrefix(fn.Synthetic, "bound method") {
		return ""
	}
	if obj, ok := fn.Object().(*types.Func); ok && obj != nil {
		return obj.Origin().FullName()
	}
	return ""
}

func opaque(v ssa.Value) Place {
	name := v.Name()
	if fn := v.Parent(); fn != nil {
		name = fn.String() + "#" + name
	}
	return Place{Kind: Opaque, Name: name}
}

func globalName(v *ssa.Global) string {
	if v.Pkg == nil {
		return v.Name()
	}
	return v.Pkg.Pkg.Path() + "." + v.Name()
}

func constText(v *ssa.Const) string {
	if v.Value == nil {
		return "nil"
	}
	return v.Value.ExactString()
}

func index[T comparable](s []T, x any) int {
	for i, e := range s {
		if any(e) == x {
			return i
		}
	}
	return -1
}
