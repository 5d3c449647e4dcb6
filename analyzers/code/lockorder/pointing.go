package lockorder

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// pointing names the fields, "path.Type.field", by which something that is handed over
// finds what it is handed to. It has just been made, here or by a function that was
// given the one to point to.
//
//	log.AddHook(&Pager{log: log})
//	log.AddHook(NewPager(log))
func pointing(h handed) []string {
	made := bound(h.val)
	if made == nil {
		made = captured(h.val)
	}
	if a, ok := made.(*ssa.Alloc); ok {
		return fieldsWith(a, func(v ssa.Value) bool { return v == h.to })
	}
	c, ok := made.(*ssa.Call)
	if !ok || c.Call.StaticCallee() == nil {
		return nil
	}
	fn := c.Call.StaticCallee()
	a := newObject(fn)
	if a == nil {
		return nil
	}
	return fieldsWith(a, func(v ssa.Value) bool {
		for i, p := range fn.Params {
			if p == v {
				return captured(c.Call.Args[i]) == h.to
			}
		}
		return false
	})
}

// newObject is the object that a function makes and answers with, nil for none.
func newObject(fn *ssa.Function) (made *ssa.Alloc) {
	for _, b := range fn.Blocks {
		r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || len(r.Results) == 0 {
			continue
		}
		v := r.Results[0]
		if mi, ok := v.(*ssa.MakeInterface); ok {
			v = mi.X
		}
		if a, ok := v.(*ssa.Alloc); ok {
			made = a
		}
	}
	return made
}

// fieldsWith names the fields of a new object in which values are stored that ask
// accepts.
func fieldsWith(a *ssa.Alloc, ask func(ssa.Value) bool) (out []string) {
	for _, r := range *a.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, u := range *fa.Referrers() {
			if st, ok := u.(*ssa.Store); ok && st.Addr == fa && ask(captured(st.Val)) {
				out = append(out, named(a)+"."+place.FieldOf(a.Type(), fa.Field).Name())
			}
		}
	}
	return out
}
