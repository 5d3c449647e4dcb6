// Package callers tells who calls the functions of one package, and from where.
//
// It sees static calls, goroutines and deferred calls of the package alone; a
// function whose value is taken can be called by anybody, and it says so.
package callers

import "golang.org/x/tools/go/ssa"

// Index answers questions about the calls within a package.
type Index struct {
	calls map[*ssa.Function][]ssa.CallInstruction
	value map[*ssa.Function][]ssa.Instruction
}

// Of indexes the given functions, which are all those of a package.
func Of(fns []*ssa.Function) *Index {
	x := &Index{calls: map[*ssa.Function][]ssa.CallInstruction{}, value: map[*ssa.Function][]ssa.Instruction{}}
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				x.add(in)
			}
		}
	}
	return x
}

func (x *Index) add(in ssa.Instruction) {
	var callee *ssa.Function
	if c, ok := in.(ssa.CallInstruction); ok {
		if callee = Callee(c.Common()); callee != nil {
			x.calls[callee] = append(x.calls[callee], c)
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
