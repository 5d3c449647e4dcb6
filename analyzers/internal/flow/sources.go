package flow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// write is something that is put into memory: all of a variable or a part of it.
type write struct {
	at   ssa.Instruction
	path string
	from []Part
	sure bool // a store, and not a call that may leave the old value
}

// rounds bounds the search for a fixpoint; sets only grow, and what is missing
// after so many rounds went through as many variables in a loop.
const rounds = 12

// flow lets the sources flow until nothing changes.
func (m *maker) flow(blocks []*ssa.BasicBlock) {
	for range rounds {
		m.changed = false
		for _, b := range blocks {
			for _, in := range b.Instrs {
				m.step(in)
			}
		}
		if !m.changed {
			return
		}
	}
}

// put adds sources to a value.
func (m *maker) put(v ssa.Value, parts []Part) {
	if len(parts) == 0 {
		return
	}
	n := len(m.flows[v])
	m.flows[v] = add(m.flows[v], parts...)
	m.changed = m.changed || len(m.flows[v]) != n
}

// write notes that memory got sources.
func (m *maker) write(at ssa.Instruction, addr ssa.Value, parts []Part, sure bool) {
	root, path := address(addr)
	ws := m.writes[root]
	for i := range ws {
		if ws[i].at == at && ws[i].path == path {
			n := len(ws[i].from)
			ws[i].from = add(ws[i].from, parts...)
			m.changed = m.changed || len(ws[i].from) != n
			return
		}
	}
	m.note(root, write{at: at, path: path, from: add(nil, parts...), sure: sure})
}

// manyWrites is the number of writes to one variable after which no more are
// told apart: tables that are filled by hand.
const manyWrites = 80

func (m *maker) note(root ssa.Value, w write) {
	if len(m.writes[root]) < manyWrites {
		m.writes[root] = append(m.writes[root], w)
		m.changed = true
	}
}

// address splits an address into the variable and the part of it. A pointer
// and what it points to are one.
func address(v ssa.Value) (root ssa.Value, path string) {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		root, path = address(v.X)
		name, _ := fieldName(v.X.Type(), v.Field)
		return root, short(path + "." + name)
	case *ssa.IndexAddr:
		return address(v.X)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return address(v.X)
		}
	case *ssa.MakeInterface:
		return address(v.X)
	case *ssa.ChangeType:
		return address(v.X)
	case *ssa.Convert:
		return address(v.X)
	case *ssa.ChangeInterface:
		return address(v.X)
	case *ssa.Slice:
		return address(v.X)
	}
	return v, ""
}

// of returns the sources of a value at an instruction: of a variable, those of
// the stores that can be seen there.
func (m *maker) of(v ssa.Value, use ssa.Instruction) []Part {
	root, path := address(v)
	parts := pick(m.base(root), path)
	if m.replaced(root, path, use) {
		parts = nil
	}
	seen := m.seen(root, path, use)
	wholes := 0
	for _, w := range seen {
		if w.path == "" && w.sure {
			wholes++
		}
	}
	for _, w := range seen {
		sure := w.sure && w.path != "" && before(w.at, use)
		from := w.from
		if w.path == "" && wholes > 1 {
			from = perhaps(from)
		}
		parts = add(parts, pick(at(w.path, from, sure), path)...)
	}
	if root != v {
		parts = add(parts, m.flows[v]...)
		parts = add(parts, m.loaded(v)...)
	}
	return parts
}

// loaded are the loads by way of which a part of a structure behind a pointer, or of a
// list, was read: q.items is one that the size of q.items was asked for by.
func (m *maker) loaded(v ssa.Value) (parts []Part) {
	path := ""
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			name, _ := fieldName(x.X.Type(), x.Field)
			path = short("." + name + path)
			v = x.X
		case *ssa.UnOp:
			if s := m.sites[x]; s != nil && path != "" && len(s.events) > 0 {
				parts = add(parts, pick([]Part{{Source: Source{Event: s.events[0], Param: -1}}}, path)...)
			}
			v = x.X
		default:
			return parts
		}
	}
}

// seen are the writes to a variable that can be seen at the use.
func (m *maker) seen(root ssa.Value, path string, use ssa.Instruction) []write {
	var out []write
	for _, w := range m.writes[root] {
		if !m.hidden(root, w, path, use) && m.canPrecede(w.at, use) {
			out = append(out, w)
		}
	}
	return out
}

// canPrecede reports whether an instruction can run before another one.
func (m *maker) canPrecede(at, use ssa.Instruction) bool {
	if use == nil || use == at || m.ctl.reach[at.Block().Index].Has(use.Block().Index) {
		return true
	}
	return at.Block() == use.Block() && before(at, use)
}

// base are the sources that a value has by itself.
func (m *maker) base(v ssa.Value) []Part {
	switch v.(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return add([]Part{{Source: Source{Event: -1, Param: m.paramIndex(v)}}}, m.flows[v]...)
	}
	return m.flows[v]
}

// hidden reports whether what was written cannot be seen at the use: a store
// that always runs between the two put something else there.
func (m *maker) hidden(root ssa.Value, w write, path string, use ssa.Instruction) bool {
	if use == nil {
		return false
	}
	for _, o := range m.writes[root] {
		if o.sure && o.at != w.at && under(path, o.path) && under(path, w.path) && before(w.at, o.at) && before(o.at, use) {
			return true
		}
	}
	return false
}

// replaced reports whether a part of what a value was at first is gone at the use: a
// store that always runs before has put something else there.
func (m *maker) replaced(root ssa.Value, path string, use ssa.Instruction) bool {
	return slices.ContainsFunc(m.writes[root], func(w write) bool {
		return w.sure && w.path != "" && under(path, w.path) && before(w.at, use)
	})
}

func (m *maker) writePath(at ssa.Instruction, addr ssa.Value, path string, parts []Part, sure bool) {
	root, base := address(addr)
	path = short(base + path)
	ws := m.writes[root]
	for i := range ws {
		if ws[i].at == at && ws[i].path == path {
			n := len(ws[i].from)
			ws[i].from = add(ws[i].from, parts...)
			m.changed = m.changed || len(ws[i].from) != n
			return
		}
	}
	m.note(root, write{at: at, path: path, from: parts, sure: sure})
}

func closureOf(v ssa.Value) *ssa.MakeClosure {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		return v
	case *ssa.MakeInterface:
		return closureOf(v.X)
	case *ssa.ChangeType:
		return closureOf(v.X)
	}
	return nil
}
