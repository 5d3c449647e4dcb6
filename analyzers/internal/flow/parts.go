package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// value describes a value and its parts; the sources are filled in later.
func (m *maker) value(v ssa.Value, use ssa.Instruction) Value {
	out := Value{Desc: m.desc(v)}
	if use != nil {
		out.From = m.of(v, use)
	}
	if elems, ok := m.elements(v); ok {
		out.Elems = make([]Value, 0, len(elems))
		for _, e := range elems {
			out.Elems = append(out.Elems, m.value(e, use))
		}
		return out
	}
	if c := closureOf(v); c != nil {
		for _, b := range c.Bindings {
			out.Bound = append(out.Bound, Value{Desc: m.desc(b)})
		}
		return out
	}
	out.Parts = m.partsOf(v)
	if _, isParam := v.(*ssa.Parameter); isParam || isSlice(v) {
		out.Order = m.ordered(v, 0)
	}
	return out
}

// partsOf names the fields of a structure that were set one by one.
func (m *maker) partsOf(v ssa.Value) map[string]Desc {
	root, base := address(v)
	if shape := m.shape(root); shape != nil && base == "" {
		return shape
	}
	if g, ok := root.(*ssa.Global); ok && base == "" {
		return m.b.constants[g.String()].Parts
	}
	if root.Referrers() == nil {
		return nil
	}
	if made, ok := root.(*ssa.MakeMap); ok {
		return m.entries(made)
	}
	if _, isAlloc := root.(*ssa.Alloc); !isAlloc && base != "" {
		return nil
	}
	if copied := m.copied(root); copied != nil {
		return m.partsOf(copied)
	}
	var parts map[string]Desc
	twice := map[string]bool{}
	for _, r := range *root.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, st := range *fa.Referrers() {
			if st, ok := st.(*ssa.Store); ok && st.Addr == ssa.Value(fa) {
				name, _ := fieldName(fa.X.Type(), fa.Field)
				if parts == nil {
					parts = map[string]Desc{}
				}
				twice[name] = parts["."+name].Root != Unknown
				parts["."+name] = m.desc(st.Val)
			}
		}
	}
	for name, t := range twice {
		if t {
			parts["."+name] = Desc{}
		}
	}
	return parts
}

// entries names the values of a map by their constant keys; one that is set twice
// has no name.
func (m *maker) entries(made *ssa.MakeMap) map[string]Desc {
	parts := map[string]Desc{}
	for _, r := range *made.Referrers() {
		u, ok := r.(*ssa.MapUpdate)
		if !ok || entry(u.Key) == "" {
			continue
		}
		_, twice := parts[entry(u.Key)]
		parts[entry(u.Key)] = m.desc(u.Value)
		if twice {
			parts[entry(u.Key)] = Desc{}
		}
	}
	return parts
}

// shape names the fields of what a function of the module made and returned.
func (m *maker) shape(v ssa.Value) map[string]Desc {
	k := 0
	if x, ok := v.(*ssa.Extract); ok {
		v, k = x.Tuple, x.Index
	}
	call, ok := v.(*ssa.Call)
	if !ok || m.sites[call] == nil || m.sites[call].top == nil {
		return nil
	}
	f := m.sites[call].top
	if k >= len(f.sum.Shapes) || len(f.sum.Shapes[k]) == 0 {
		return nil
	}
	out := make(map[string]Desc, len(f.sum.Shapes[k]))
	for p, d := range f.sum.Shapes[k] {
		out[p] = f.desc(d)
	}
	return out
}

// copied is the variable whose value a variable is a copy of.
func (m *maker) copied(root ssa.Value) ssa.Value {
	a, ok := root.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var from ssa.Value
	for _, r := range *a.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(a) {
			if from != nil {
				return nil
			}
			from = st.Val
		}
	}
	if from != nil && m.shape(from) != nil {
		return from
	}
	if u, ok := from.(*ssa.UnOp); ok && u.Op == token.MUL {
		if src, _ := address(u); src != root {
			if _, isAlloc := src.(*ssa.Alloc); isAlloc {
				return src
			}
		}
	}
	return nil
}

func (m *maker) calledValue(c *ssa.CallCommon) Value {
	if c.IsInvoke() {
		return Value{Desc: Desc{Root: Func, Name: c.Method.FullName()}}
	}
	return m.value(c.Value, nil)
}
