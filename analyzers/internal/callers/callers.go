// Package callers tells who calls the functions of one package, and from where.
//
// It sees static calls, goroutines and deferred calls of the package alone; a
// function whose value is taken can be called by anybody, and it says so.
package callers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// Index answers questions about the calls within a package.
type Index struct {
	calls map[*ssa.Function][]ssa.CallInstruction
	value map[*ssa.Function][]ssa.Instruction
	held  map[types.Object][]*ssa.Function // by the field or variable that holds them
	named map[string][]*ssa.Function       // methods by their names
	asked map[string][]ssa.CallInstruction // calls behind an interface, by the method
}

// Of indexes the given functions, which are all those of a package.
func Of(fns []*ssa.Function) *Index {
	x := &Index{calls: map[*ssa.Function][]ssa.CallInstruction{}, value: map[*ssa.Function][]ssa.Instruction{}, held: map[types.Object][]*ssa.Function{}, named: map[string][]*ssa.Function{}, asked: map[string][]ssa.CallInstruction{}}
	for _, fn := range fns {
		if fn.Signature.Recv() != nil {
			x.named[fn.Name()] = append(x.named[fn.Name()], fn)
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				x.add(in)
			}
		}
	}
	return x
}

func (x *Index) add(in ssa.Instruction) {
	if st, ok := in.(*ssa.Store); ok {
		if fn, holder := Function(st.Val), holder(st.Addr); fn != nil && holder != nil {
			x.held[holder] = append(x.held[holder], fn)
		}
	}
	var callee *ssa.Function
	if c, ok := in.(ssa.CallInstruction); ok {
		if callee = Callee(c.Common()); callee != nil {
			x.calls[callee] = append(x.calls[callee], c)
		} else if c.Common().IsInvoke() {
			x.asked[c.Common().Method.Name()] = append(x.asked[c.Common().Method.Name()], c)
		}
	}
	for _, op := range in.Operands(nil) {
		fn := Function(*op)
		if fn == nil || fn == callee {
			continue
		}
		if mc, ok := (*op).(*ssa.MakeClosure); ok && in != mc && callsOnly(mc) {
			continue
		}
		x.value[fn] = append(x.value[fn], in)
	}
}

// holder is the field or global behind an address, nil for any other.
func holder(addr ssa.Value) types.Object {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		if f := place.FieldOf(a.X.Type(), a.Field); f != nil {
			return f.Origin()
		}
	case *ssa.Global:
		return a.Object()
	}
	return nil
}

// Targets are the functions that a call can reach: the one that it names; those
// that the package stores in the field or global whose value is called, among
// others that may come from elsewhere; or the methods of the package's types that
// implement the interface.
func (x *Index) Targets(c *ssa.CallCommon) []*ssa.Function {
	if fn := Callee(c); fn != nil {
		return []*ssa.Function{fn}
	}
	if c.IsInvoke() {
		return x.implementations(c)
	}
	if load, ok := c.Value.(*ssa.UnOp); ok {
		if h := holder(load.X); h != nil {
			return x.held[h]
		}
	}
	return nil
}

func (x *Index) implementations(c *ssa.CallCommon) []*ssa.Function {
	iface, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var out []*ssa.Function
	for _, fn := range x.named[c.Method.Name()] {
		if types.Implements(fn.Signature.Recv().Type(), iface) {
			out = append(out, fn)
		}
	}
	return out
}

// callsOnly tells whether a closure is made only to be called, started or deferred.
func callsOnly(mc *ssa.MakeClosure) bool {
	for _, r := range *mc.Referrers() {
		c, ok := r.(ssa.CallInstruction)
		if !ok || c.Common().Value != mc {
			return false
		}
	}
	return true
}

// Callee is the function that a call calls, when that is known: the generic
// one for an instance, the closure for a function literal.
func Callee(c *ssa.CallCommon) *ssa.Function {
	fn := c.StaticCallee()
	if fn == nil {
		return nil
	}
	return Origin(fn)
}

// Origin is the function as it was written: without type arguments, and the
// method for the wrapper that a method value makes.
func Origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn
}

// Function is the function behind a value, nil when it is no such constant. A
// method value answers the method.
func Function(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		return unbound(Origin(v))
	case *ssa.MakeClosure:
		return unbound(Origin(v.Fn.(*ssa.Function)))
	case *ssa.ChangeType:
		return Function(v.X)
	case *ssa.MakeInterface:
		return Function(v.X)
	}
	return nil
}

// unbound finds the method that the wrapper of a method value calls.
func unbound(fn *ssa.Function) *ssa.Function {
	if fn.Synthetic == "" || fn.Object() == nil || fn.Prog == nil {
		return fn
	}
	if len(fn.Blocks) == 0 {
		return fn
	}
	for _, in := range fn.Blocks[0].Instrs {
		if c, ok := in.(*ssa.Call); ok {
			if m := c.Call.StaticCallee(); m != nil && m.Object() == fn.Object() {
				return Origin(m)
			}
		}
	}
	return fn
}

// Calls are the calls of a function within the package.
func (x *Index) Calls(fn *ssa.Function) []ssa.CallInstruction { return x.calls[fn] }

// Args are what the calls of a function within the package hand over for a
// parameter; all is false when there are none, or one is not known, as behind an
// interface.
func (x *Index) Args(p *ssa.Parameter) (args []ssa.Value, all bool) {
	calls := x.calls[p.Parent()]
	i := slices.Index(p.Parent().Params, p)
	for _, c := range calls {
		if a := c.Common().Args; !c.Common().IsInvoke() && i < len(a) {
			args = append(args, a[i])
		}
	}
	return args, len(args) > 0 && len(args) == len(calls)
}

// Given are what the calls within the package hand over for a parameter, also those
// behind an interface that its method can answer.
func (x *Index) Given(p *ssa.Parameter) []ssa.Value {
	fn := p.Parent()
	args, _ := x.Args(p)
	i := slices.Index(fn.Params, p) - 1 // the receiver is no argument there
	for _, c := range x.asked[fn.Name()] {
		if i >= 0 && i < len(c.Common().Args) && slices.Contains(x.implementations(c.Common()), fn) {
			args = append(args, c.Common().Args[i])
		}
	}
	return args
}

// Values are the places where the function is used as a value.
func (x *Index) Values(fn *ssa.Function) []ssa.Instruction { return x.value[fn] }

// Used tells whether anything in the package refers to the function.
func (x *Index) Used(fn *ssa.Function) bool { return len(x.calls[fn])+len(x.value[fn]) > 0 }

// Closed tells whether all calls of the function are known: it is not exported,
// or a function literal, and its value is taken nowhere.
func (x *Index) Closed(fn *ssa.Function) bool {
	if len(x.value[fn]) > 0 || len(x.calls[fn]) == 0 {
		return false
	}
	return fn.Object() == nil || !fn.Object().Exported()
}
