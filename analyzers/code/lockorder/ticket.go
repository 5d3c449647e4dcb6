package lockorder

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// ticket is a channel without room that a function has put where others find it.
type ticket struct {
	put ssa.Instruction
	is  func(ssa.Value) bool // whether a value is the channel
}

// tickets are those that a function puts into a map or list, "path.Type.field[]", or has
// in the field of a structure, "path.Type.field"; by itself, or by a function that
// answers with the channel.
func (j *judge) tickets(fn *ssa.Function, waiting string) (all []ticket) {
	cfg.Each(fn, func(in ssa.Instruction) {
		if made := entered(in, waiting); made != nil {
			all = append(all, ticket{in, func(v ssa.Value) bool { return captured(v) == made }})
		}
		if fa := within(in, waiting); fa != nil {
			all = append(all, ticket{in, func(v ssa.Value) bool { return fieldOf(v, fa) }})
		}
		if c, ok := in.(*ssa.Call); ok && answers(callers.Callee(c.Common()), waiting) {
			all = append(all, ticket{in, func(v ssa.Value) bool { return captured(v) == ssa.Value(c) }})
		}
	})
	return all
}

// entered is the channel without room that an instruction puts into a map or list, nil
// for none.
func entered(in ssa.Instruction, waiting string) ssa.Value {
	into, vals := entries(in)
	for _, v := range vals {
		if v = captured(v); into+"[]" == waiting && empty(v) {
			return v
		}
	}
	return nil
}

// within is the field with such a channel of a structure that an instruction puts into
// a map or list, nil for none.
func within(in ssa.Instruction, waiting string) *ssa.FieldAddr {
	_, vals := entries(in)
	for _, v := range vals {
		made, ok := captured(v).(*ssa.Alloc)
		if !ok {
			continue
		}
		for _, r := range *made.Referrers() {
			fa, ok := r.(*ssa.FieldAddr)
			if ok && declared(fa) == waiting && slices.ContainsFunc(*fa.Referrers(), func(r ssa.Instruction) bool {
				st, ok := r.(*ssa.Store)
				return ok && st.Addr == fa && empty(st.Val)
			}) {
				return fa
			}
		}
	}
	return nil
}

// entries are the values that an instruction puts into a map or list, and the
// declaration of that.
func entries(in ssa.Instruction) (into string, vals []ssa.Value) {
	switch in := in.(type) {
	case *ssa.MapUpdate:
		return loadedFrom(in.Map), []ssa.Value{in.Value}
	case *ssa.Store:
		if c, ok := in.Val.(*ssa.Call); ok && place.CalleeName(c.Common()) == "builtin.append" {
			return declared(in.Addr), place.Variadic(c.Call.Args[1])
		}
	}
	return "", nil
}

// answers tells whether a function answers with a channel that it has put there.
func answers(fn *ssa.Function, waiting string) bool {
	if fn == nil || fn.Signature.Results().Len() != 1 {
		return false
	}
	var made, answered ssa.Value
	cfg.Each(fn, func(in ssa.Instruction) {
		if v := entered(in, waiting); v != nil {
			made = v
		}
		if r, ok := in.(*ssa.Return); ok {
			answered = captured(r.Results[0])
		}
	})
	return made != nil && made == answered
}

// empty tells whether a value is a channel that was made without room.
func empty(v ssa.Value) bool {
	made, ok := v.(*ssa.MakeChan)
	if !ok {
		return false
	}
	k, ok := made.Size.(*ssa.Const)
	return ok && k.Int64() == 0
}

// fieldOf tells whether a value was read from the field at an address.
func fieldOf(v ssa.Value, at *ssa.FieldAddr) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	fa, ok := load.X.(*ssa.FieldAddr)
	return ok && fa.Field == at.Field && captured(fa.X) == captured(at.X)
}

func (t ticket) receives(in *ssa.UnOp) bool { return in.Op == token.ARROW && t.is(in.X) }

// among is the case of a select that receives from the channel, -1 for none.
func (t ticket) among(sel *ssa.Select) int {
	return slices.IndexFunc(sel.States, func(st *ssa.SelectState) bool { return st.Dir == types.RecvOnly && t.is(st.Chan) })
}

// received tells whether a function receives from the channel at all: one that hands it
// to others knows nothing of its fate.
func (t ticket) received(fn *ssa.Function) bool {
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.UnOp:
			found = found || t.receives(in)
		case *ssa.Select:
			found = found || t.among(in) >= 0
		}
	})
	return found
}
