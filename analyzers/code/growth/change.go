package growth

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// grow reads an instruction as one that adds to a container.
func grow(in ssa.Instruction) (growing, bool) {
	switch in := in.(type) {
	case *ssa.MapUpdate:
		h := heldBy(in.Map)
		return growing{in, in.Pos(), h, in.Map, settled(in.Key), in.Value}, h != nil
	case *ssa.Store:
		h := heldAt(in.Addr)
		if val, from := longer(in.Val); h != nil && h == from {
			return growing{in, in.Pos(), h, in.Addr, nil, val}, true
		}
	case *ssa.Call:
		name := place.CalleeName(in.Common())
		if buf := written(in.Common()); buf != nil {
			h := heldAt(buf)
			return growing{in, in.Pos(), h, buf, nil, in}, h != nil
		}
		if name == "(*container/list.List).PushBack" || name == "(*container/list.List).PushFront" {
			h := listAt(in.Call.Args[0])
			return growing{in, in.Pos(), h, in.Call.Args[0], nil, plain(in.Call.Args[1])}, h != nil
		}
		if name != "(*sync.Map).Store" && name != "(*sync.Map).LoadOrStore" && name != "(*sync.Map).Swap" {
			return growing{}, false
		}
		h := heldAt(in.Call.Args[0])
		return growing{in, in.Pos(), h, in.Call.Args[0], settled(plain(in.Call.Args[1])), plain(in.Call.Args[2])}, h != nil
	}
	return growing{}, false
}

// settled is the parameter behind a variable that a function literal captured and
// nobody changes.
func settled(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return v
	}
	at := load.X
	if fv, ok := at.(*ssa.FreeVar); ok {
		at = place.Captured(fv)
	}
	if a, ok := at.(*ssa.Alloc); ok {
		if p, ok := place.Assigned(a).(*ssa.Parameter); ok {
			return p
		}
	}
	return v
}

// longer is what a value has more than the container that it was made of: append, or
// a new node in front of those before.
func longer(v ssa.Value) (more ssa.Value, from container) {
	switch v := v.(type) {
	case *ssa.Call:
		if place.CalleeName(v.Common()) == "builtin.append" {
			return appended(v), heldBy(v.Call.Args[0])
		}
	case *ssa.Alloc:
		for _, i := range linked(v.Type()) {
			if before := fieldStores(v, i); len(before) > 0 && heldBy(before[0]) != nil {
				return v, heldBy(before[0])
			}
		}
	}
	return nil, nil
}

// pointee is the structure behind a pointer, nil for what is none.
func pointee(t types.Type) *types.Struct {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	st, _ := p.Elem().Underlying().(*types.Struct)
	return st
}

// appended is the element of an append of one.
func appended(c *ssa.Call) ssa.Value {
	if vals := place.Variadic(c.Call.Args[1]); len(vals) == 1 {
		return vals[0]
	}
	return c.Call.Args[1]
}

func plain(v ssa.Value) ssa.Value {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		return mi.X
	}
	return v
}

// heldBy is the container that a map or slice was read from.
func heldBy(v ssa.Value) container {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return heldAt(v.X)
		}
	case *ssa.Field:
		return place.FieldOf(v.X.Type(), v.Field).Origin()
	case *ssa.ChangeType:
		return heldBy(v.X)
	case *ssa.FreeVar: // captured by value
		if b := place.Captured(v); b != nil {
			return heldBy(b)
		}
	case *ssa.MakeMap: // of this call alone
		return v
	}
	return nil
}

// listAt is the list that a pointer leads to: one that was read, or a variable.
func listAt(v ssa.Value) container {
	if h := heldBy(v); h != nil {
		return h
	}
	return heldAt(v)
}

// heldAt is the container at an address.
func heldAt(addr ssa.Value) container {
	switch a := addr.(type) {
	case *ssa.Global:
		return a
	case *ssa.FieldAddr:
		return place.FieldOf(a.X.Type(), a.Field).Origin()
	case *ssa.Alloc:
		return a
	case *ssa.FreeVar:
		if b := place.Captured(a); b != nil {
			return heldAt(b)
		}
	}
	return nil
}

// shrink notes that something takes entries out of a container, or counts them.
func (j *judge) shrink(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Store:
		if h := heldAt(in.Addr); h != nil && isContainer(in.Val.Type()) && j.live(in.Parent()) && !j.first(in, h) {
			j.noteIn(in.Parent(), h)
		}
	case ssa.CallInstruction:
		j.call(in)
	}
}

// closing are the names of methods that end the life of what they belong to.
var closing = regexp.MustCompile(`^(?i:close|stop|shut_?down|destroy|dispose|tear_?down|terminate)$`)

// last tells whether a function ends the life of a container's owner: what it empties
// then was full all the time before. An owner that comes and goes with its visitor
// takes its entries along.
func last(fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	return recv != nil && closing.MatchString(fn.Name()) && !visitorName.MatchString(libs.TypeName(recv.Type()))
}

// live tells whether a function can run: somebody refers to it, or can.
func (j *judge) live(fn *ssa.Function) bool {
	return fn.Object() == nil || fn.Object().Exported() || j.calls.Used(fn) || fn.Name() == "init" || fn.Signature.Recv() != nil && j.calls.Used(fn)
}

func isContainer(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Slice:
		return true
	}
	return strings.HasSuffix(t.String(), "sync.Map") || isList(t) || len(linked(t)) > 0
}

// linked are the fields by which a structure leads to others of its kind: it is a list
// by itself.
func linked(t types.Type) (fields []int) {
	st := pointee(t)
	if st == nil {
		return nil
	}
	for i := range st.NumFields() {
		if types.Identical(st.Field(i).Type(), t) {
			fields = append(fields, i)
		}
	}
	return fields
}

// isList tells whether a type is the list of the standard library.
func isList(t types.Type) bool {
	return t.String() == "*container/list.List" || t.String() == "container/list.List"
}

// first tells whether a store is the one that creates the container: in init,
// in the function that makes its owner, or where it was nil.
func (j *judge) first(st *ssa.Store, h container) bool {
	fn := st.Parent()
	if strings.HasPrefix(fn.Name(), "init") && fn.Signature.Recv() == nil {
		return true
	}
	switch a := st.Addr.(type) {
	case *ssa.FieldAddr:
		if _, made := a.X.(*ssa.Alloc); made {
			return true
		}
	case *ssa.Alloc:
		return fresh(st.Val) && place.Assigned(a) != nil
	}
	if !fresh(st.Val) {
		return false
	}
	for _, b := range fn.Blocks {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if ok && comparesNil(br.Cond, h) {
			return true
		}
	}
	return false
}

func fresh(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeMap, *ssa.MakeSlice:
		return true
	case *ssa.ChangeType:
		return fresh(v.X)
	}
	return false
}

func comparesNil(cond ssa.Value, h container) bool {
	b, ok := cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	k, ok := b.Y.(*ssa.Const)
	return ok && k.IsNil() && heldBy(b.X) == h
}

// initial tells whether a slice is filled where it was found to be nil, and nowhere
// else: it gets what belongs into it, once.
func initial(g growing) bool {
	return g.key == nil && slices.ContainsFunc(g.in.Parent().Blocks, func(b *ssa.BasicBlock) bool {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !comparesNil(br.Cond, g.holds) {
			return false
		}
		yes := b.Succs[0]
		if br.Cond.(*ssa.BinOp).Op == token.NEQ {
			yes = b.Succs[1]
		}
		return len(yes.Preds) == 1 && yes.Dominates(g.in.Block())
	})
}
