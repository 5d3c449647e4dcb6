package flow

import "golang.org/x/tools/go/ssa"

// given names a field of a structure that the function has made by what it put
// there, as long as nobody else has had the structure.
func (m *maker) given(load *ssa.UnOp) (Desc, bool) {
	fa, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return Desc{}, false
	}
	made, ok := fa.X.(*ssa.Alloc)
	if !ok || m.handedOut(made, load) {
		return Desc{}, false
	}
	put := onlyStore(made, fa.Field)
	if put == nil || !before(put, load) {
		return Desc{}, false
	}
	return m.desc(put.Val), true
}

// handedOut reports whether the address of a structure can go somewhere before
// an instruction runs.
func (m *maker) handedOut(made *ssa.Alloc, use ssa.Instruction) bool {
	for _, r := range *made.Referrers() {
		switch r.(type) {
		case *ssa.FieldAddr, *ssa.UnOp, *ssa.DebugRef:
		default:
			if m.canPrecede(r, use) {
				return true
			}
		}
	}
	return false
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
