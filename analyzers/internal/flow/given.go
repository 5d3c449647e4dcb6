package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// given names a field of a structure that the function has made by what it put
// there, as long as nobody else has had the structure.
func (m *maker) given(load *ssa.UnOp) (Desc, bool) {
	fa, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return Desc{}, false
	}
	made, ok := fa.X.(*ssa.Alloc)
	if !ok {
		return Desc{}, false
	}
	return m.putInto(made, fa.Field, load)
}

// putInto names what a field of a structure was given before an instruction: by itself,
// or in a literal that became the structure.
func (m *maker) putInto(made *ssa.Alloc, field int, use ssa.Instruction) (Desc, bool) {
	whole, once := assigned(made)
	if !once || m.handedOut(made, use) {
		return Desc{}, false
	}
	switch st := onlyStore(made, field); {
	case st != nil && whole == nil && before(st, use):
		return m.desc(st.Val), true
	case st != nil || whole == nil || storesField(made, field) || !before(whole, use):
		return Desc{}, false
	}
	if copied, ok := whole.Val.(*ssa.UnOp); ok && copied.Op == token.MUL {
		if literal, ok := copied.X.(*ssa.Alloc); ok {
			return m.putInto(literal, field, copied)
		}
	}
	return Desc{}, false
}

// assigned is the one store of a whole structure, nil when there is none.
func assigned(made *ssa.Alloc) (whole *ssa.Store, once bool) {
	for _, r := range *made.Referrers() {
		if st, ok := r.(*ssa.Store); ok {
			if st.Addr != ssa.Value(made) || whole != nil {
				return nil, false
			}
			whole = st
		}
	}
	return whole, true
}

// handedOut reports whether the address of a structure can go somewhere before
// an instruction runs.
func (m *maker) handedOut(made *ssa.Alloc, use ssa.Instruction) bool {
	for _, r := range *made.Referrers() {
		switch r.(type) {
		case *ssa.FieldAddr, *ssa.UnOp, *ssa.DebugRef, *ssa.Store:
		default:
			if m.canPrecede(r, use) {
				return true
			}
		}
	}
	return false
}

// storesField reports whether anything may store into a field by its address.
func storesField(made *ssa.Alloc, field int) bool {
	return slices.ContainsFunc(*made.Referrers(), func(r ssa.Instruction) bool {
		fa, ok := r.(*ssa.FieldAddr)
		return ok && fa.Field == field && written(fa)
	})
}

// onlyStore is what puts a value into a field of a structure, nil when more than
// one does, or somebody may who has the address of the field.
func onlyStore(made *ssa.Alloc, field int) *ssa.Store {
	var put *ssa.Store
	for _, r := range *made.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok || fa.Field != field {
			continue
		}
		for _, u := range *fa.Referrers() {
			switch u := u.(type) {
			case *ssa.Store:
				if u.Addr != ssa.Value(fa) || put != nil {
					return nil
				}
				put = u
			case *ssa.UnOp, *ssa.DebugRef:
			default:
				return nil
			}
		}
	}
	return put
}

// foundOrMade names what is found in a map, or else made and put there, as the entry
// that it is either way:
//
//	w, ok := m[k]
//	if !ok { w = &window{}; m[k] = w }
func (m *maker) foundOrMade(v *ssa.Phi) (Desc, bool) {
	if len(v.Edges) != 2 {
		return Desc{}, false
	}
	for i, e := range v.Edges {
		made, ok := e.(*ssa.Alloc)
		if !ok {
			continue
		}
		found := m.desc(v.Edges[1-i])
		for _, r := range *made.Referrers() {
			if put, ok := r.(*ssa.MapUpdate); ok && put.Value == made && m.desc(put.Map).Part("[]").String() == found.String() {
				return found, true
			}
		}
	}
	return Desc{}, false
}

// givenOrDefault is the global that a function takes where its caller gives nothing,
// as in if c == nil { c = &defaultConfig }: what it does there, it does to what all
// such callers share.
func (m *maker) givenOrDefault(v *ssa.Phi) (Desc, bool) {
	if len(v.Edges) != 2 || !isPointer(v.Type()) {
		return Desc{}, false
	}
	for i, e := range v.Edges {
		if _, given := v.Edges[1-i].(*ssa.Parameter); !given {
			continue
		}
		if d := m.desc(e); d.Root == Global {
			return d, true
		}
	}
	return Desc{}, false
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}
