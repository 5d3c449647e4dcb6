package flow

import (
	"go/token"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ssa"
)

// step lets the sources flow through one instruction.
func (m *maker) step(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Store:
		m.write(in, in.Addr, add(m.leaves(in), m.of(in.Val, in)...), true)
	case *ssa.MapUpdate:
		m.writePath(in, in.Map, entry(in.Key), m.stored(in), false)
		m.write(in, in.Map, []Part{changed}, false)
	case ssa.CallInstruction:
		m.stepCall(in)
	case *ssa.Phi:
		m.stepPhi(in)
	case *ssa.BinOp:
		m.put(in, calculated(m.of(in.X, in)))
		m.put(in, calculated(m.of(in.Y, in)))
	case *ssa.Extract:
		m.stepExtract(in)
	case *ssa.Field:
		name, _ := fieldName(in.X.Type(), in.Field)
		m.put(in, m.named(pick(m.of(in.X, in), "."+name), name, in.Type()))
	case *ssa.FieldAddr:
		// address resolves it; the names of errors and counts are mended at the load
	case *ssa.UnOp:
		m.stepUnOp(in)
	case *ssa.Lookup:
		m.put(in, m.of(in.X, in))
	case *ssa.Index:
		m.put(in, m.of(in.X, in))
	case *ssa.Next:
		m.put(in, m.of(in.Iter, in))
	case *ssa.Range:
		m.put(in, m.of(in.X, in))
	case *ssa.TypeAssert:
		m.put(in, m.of(in.X, in))
	case *ssa.MakeClosure:
	}
	if v, ok := in.(ssa.Value); ok {
		m.stepMemory(in, v)
	}
}

// stored is what a map tells of an entry: its value, or that there is one, where the
// value comes from nowhere, as in a set.
func (m *maker) stored(in *ssa.MapUpdate) []Part {
	if parts := m.of(in.Value, in); len(parts) > 0 {
		return parts
	}
	return calculated(m.of(in.Key, in))
}

// keys are the sources of the keys of a map that the function fills: whether there is
// an entry is a question about them.
func (m *maker) keys(v ssa.Value) (parts []Part) {
	made, ok := v.(*ssa.MakeMap)
	if !ok {
		return nil
	}
	for _, r := range *made.Referrers() {
		if u, ok := r.(*ssa.MapUpdate); ok {
			parts = add(parts, calculated(m.of(u.Key, u))...)
		}
	}
	return parts
}

// entry is the path of an entry of a map with a constant key: such a map is used
// as a structure, for parameters by name.
func entry(key ssa.Value) string {
	if mi, ok := key.(*ssa.MakeInterface); ok {
		key = mi.X
	}
	if c, ok := key.(*ssa.Const); ok && isString(c.Type()) && columnName.MatchString(constText(c)) {
		return "." + constText(c)
	}
	return ""
}

var columnName = regexp.MustCompile(`^\w+$`)

// stepMemory gives an event on memory its value: a load, a lookup.
func (m *maker) stepMemory(in ssa.Instruction, v ssa.Value) {
	s := m.sites[in]
	if s == nil || s.row == nil {
		return
	}
	if _, isCall := in.(ssa.CallInstruction); !isCall && len(s.events) > 0 {
		m.put(v, []Part{{Source: Source{Event: s.events[0], Param: -1}}})
	}
}

func (m *maker) stepUnOp(in *ssa.UnOp) {
	switch {
	case in.Op == token.MUL:
		fa, ok := in.X.(*ssa.FieldAddr)
		parts := m.of(in.X, in)
		if ok {
			name, _ := fieldName(fa.X.Type(), fa.Field)
			parts = m.named(parts, name, in.Type())
		}
		m.put(in, parts)
	default:
		m.put(in, calculated(m.of(in.X, in)))
	}
}

// named mends the path of a field that stands for the error or the row count of
// a statement (gorm has them as fields).
func (m *maker) named(parts []Part, name string, t types.Type) []Part {
	out := make([]Part, 0, len(parts))
	for _, p := range parts {
		if p.Event >= 0 {
			switch {
			case isError(t) && (p.Source.Path == "."+name || p.Source.Path == ".count."+name):
				p.Source.Path = ".err"
			case p.Source.Path == "."+name && name == "RowsAffected":
				p.Source.Path = ".n"
			}
		}
		out = append(out, p)
	}
	return out
}

func (m *maker) stepExtract(in *ssa.Extract) {
	call, ok := in.Tuple.(*ssa.Call)
	if !ok {
		m.put(in, m.of(in.Tuple, in))
		if look, ok := in.Tuple.(*ssa.Lookup); ok && in.Index == 1 {
			m.put(in, m.keys(look.X))
		}
		return
	}
	m.put(in, m.result(call, in.Index, in.Type()))
}

func (m *maker) stepCall(in ssa.CallInstruction) {
	s := m.sites[in]
	if s != nil {
		m.refresh(s)
		m.outputs(s)
	}
	call, ok := in.(*ssa.Call)
	if !ok {
		return
	}
	if _, isTuple := call.Type().(*types.Tuple); !isTuple {
		m.put(call, m.result(call, 0, call.Type()))
	}
	if s == nil || s.top == nil && s.row == nil && len(s.events) == 0 {
		m.unknownCall(call)
	}
	m.lay(call)
	if changes(call) && len(call.Call.Args) > 0 {
		m.write(call, call.Call.Args[0], []Part{changed}, false)
	}
}

// changes reports whether a call of a builtin or of packages maps and slices makes
// another list or map of its first argument, in its place or beside it.
func changes(call *ssa.Call) bool {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return b.Name() == "delete" || b.Name() == "clear"
	}
	f := call.Call.StaticCallee()
	if f == nil {
		return false
	}
	if o := f.Origin(); o != nil {
		f = o
	}
	switch f.String() {
	case "maps.Copy", "maps.DeleteFunc", "maps.Insert", "slices.DeleteFunc", "slices.Delete", "slices.Insert", "slices.Replace", "slices.Compact", "slices.CompactFunc":
		return true
	}
	return false
}

// refresh brings the sources of the arguments up to date.
func (m *maker) refresh(s *site) {
	for i, a := range s.args {
		m.fillValue(&s.values[i], a, s.instr)
	}
	for _, f := range s.frames {
		f.refresh()
	}
}

func (f *frame) refresh() {
	f.around, f.known = nil, nil
	if f.again != nil {
		f.args = f.again()
	}
	for _, g := range f.calls {
		g.refresh()
	}
}

func (m *maker) fillValue(v *Value, a ssa.Value, use ssa.Instruction) {
	v.From = m.of(a, use)
	if elems, ok := m.elements(a); ok && len(elems) == len(v.Elems) {
		for i, e := range elems {
			m.fillValue(&v.Elems[i], e, use)
		}
	}
	if c := closureOf(a); c != nil && len(v.Bound) == len(c.Bindings) {
		for i, b := range c.Bindings {
			m.fillValue(&v.Bound[i], b, nil)
		}
	}
}
