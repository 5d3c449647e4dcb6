package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// elements are the values of a slice that is written out in the call, as the
// arguments of a variadic function are.
func (m *maker) elements(v ssa.Value) ([]ssa.Value, bool) {
	if c, ok := v.(*ssa.Const); ok && c.Value == nil {
		if _, isSlice := v.Type().Underlying().(*types.Slice); isSlice {
			return nil, true
		}
	}
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil, false
	}
	a, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil, false
	}
	arr, ok := a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || arr.Len() > 200 {
		return nil, false
	}
	elems := make([]ssa.Value, arr.Len())
	for _, r := range *a.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		n, isConst := ia.Index.(*ssa.Const)
		if !isConst {
			return nil, false
		}
		for _, st := range *ia.Referrers() {
			if st, ok := st.(*ssa.Store); ok && st.Addr == ssa.Value(ia) {
				elems[n.Int64()] = st.Val
			}
		}
	}
	for _, e := range elems {
		if e == nil {
			return nil, false
		}
	}
	return elems, true
}
