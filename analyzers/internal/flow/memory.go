package flow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

func (m *maker) placeBuiltin(s *site, b *ssa.Builtin) {
	var e Event
	switch b.Name() {
	case "delete":
		e = m.newEvent(s.instr, libs.MapDelete, "delete")
		e.On, e.Key = s.values[0], s.values[1]
	case "clear":
		e = m.newEvent(s.instr, libs.MapDelete, "clear")
		e.On = s.values[0]
	case "copy":
		e = m.newEvent(s.instr, libs.Store, "copy")
		e.On, e.Val = s.values[0], s.values[1]
	case "close":
		e = m.newEvent(s.instr, libs.CloseChan, "close")
		e.On = s.values[0]
	default:
		return
	}
	if !shared(e.On.Desc) {
		return
	}
	s.row = &libs.Row{Op: e.Op, Dest: libs.None, Fn: libs.None}
	m.push(s, e)
}

// shared reports whether others can reach what is named: a global, or something
// behind a parameter.
func shared(d Desc) bool { return d.Root == Global || d.Root == Param }

// placeMemory makes the events of maps, globals and fields.
func (m *maker) placeMemory(in ssa.Instruction) {
	var e Event
	switch in := in.(type) {
	case *ssa.Lookup:
		if _, isMap := in.X.Type().Underlying().(*types.Map); !isMap {
			return
		}
		e = m.newEvent(in, libs.MapGet, "")
		e.On, e.Key = m.value(in.X, nil), m.value(in.Index, nil)
	case *ssa.MapUpdate:
		e = m.newEvent(in, libs.MapSet, "")
		e.On, e.Key, e.Val = m.value(in.Map, nil), m.value(in.Key, nil), m.value(in.Value, nil)
	case *ssa.Range:
		if _, isMap := in.X.Type().Underlying().(*types.Map); !isMap {
			return
		}
		e = m.newEvent(in, libs.MapRange, "")
		e.On = m.value(in.X, nil)
	case *ssa.Store:
		if !sharedPlace(in.Addr) {
			return
		}
		e = m.newEvent(in, libs.Store, "")
		e.On, e.Val = m.value(in.Addr, nil), m.value(in.Val, nil)
	case *ssa.Send:
		e = m.newEvent(in, libs.Send, "")
		e.On = m.value(in.Chan, nil)
	case *ssa.UnOp:
		if in.Op == token.ARROW {
			e = m.newEvent(in, libs.Recv, "")
			e.On = m.value(in.X, nil)
			break
		}
		if in.Op != token.MUL || !sharedPlace(in.X) || !guardedField(in.X) {
			return
		}
		e = m.newEvent(in, libs.Load, "")
		e.On = m.value(in.X, nil)
	case *ssa.Select:
		m.placeSelect(in)
		return
	default:
		return
	}
	if !shared(e.On.Desc) {
		return
	}
	s := &site{instr: in, row: &libs.Row{Op: e.Op, Dest: libs.None, Fn: libs.None}}
	m.push(s, e)
	m.sites[in] = s
	m.order = append(m.order, s)
}

// placeSelect makes the events of a select: what it can receive, when it waits or
// asks one channel, and what it offers.
func (m *maker) placeSelect(in *ssa.Select) {
	s := &site{instr: in, row: &libs.Row{Op: libs.Recv, Dest: libs.None, Fn: libs.None}}
	switch {
	case in.Blocking:
		m.placeCases(s, types.RecvOnly, libs.Recv)
	case len(in.States) == 1:
		s.row.Op = libs.Poll
		m.placeCases(s, types.RecvOnly, libs.Poll)
	}
	m.placeCases(s, types.SendOnly, libs.Offer)
	if len(s.events) > 0 {
		m.sites[in] = s
		m.order = append(m.order, s)
	}
}

func (m *maker) placeCases(s *site, dir types.ChanDir, op libs.Op) {
	for _, st := range s.instr.(*ssa.Select).States {
		e := m.newEvent(s.instr, op, "")
		e.On = m.value(st.Chan, nil)
		if op == libs.Offer && st.Pos.IsValid() {
			e.Site[0] = m.b.pos(st.Pos)
		}
		if st.Dir == dir && shared(e.On.Desc) {
			m.push(s, e)
		}
	}
}

// sharedPlace reports whether an address is a global, a captured variable or a
// field.
func sharedPlace(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Global, *ssa.FreeVar:
		return true
	case *ssa.FieldAddr:
		_, isAlloc := v.X.(*ssa.Alloc)
		return !isAlloc
	}
	return false
}

// guardedField reports whether loads of the place are worth an event: a plain
// global, one of a type of its package, or a field beside a mutex. Others are
// too many.
func guardedField(v ssa.Value) bool {
	fa, ok := v.(*ssa.FieldAddr)
	if !ok {
		g, ok := v.(*ssa.Global)
		if !ok {
			return false
		}
		t := g.Type().Underlying().(*types.Pointer).Elem()
		_, isBasic := t.Underlying().(*types.Basic)
		_, isList := t.Underlying().(*types.Slice)
		return isBasic || isList && besideMutex(g) || g.Pkg != nil && libs.TypeName(t) != "" && libs.Path(t) == g.Pkg.Pkg.Path()
	}
	st, ok := fa.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	if !ok || libs.Path(st.Field(fa.Field).Type()) == "sync" {
		return false
	}
	for f := range st.Fields() {
		if isMutex(f.Type()) {
			return true
		}
	}
	return false
}

func isMutex(t types.Type) bool {
	return libs.Path(t) == "sync" && (libs.TypeName(t) == "Mutex" || libs.TypeName(t) == "RWMutex")
}

// besideMutex reports whether the package of a global has a mutex among its globals.
func besideMutex(g *ssa.Global) bool {
	if g.Pkg == nil {
		return false
	}
	for _, member := range g.Pkg.Members {
		if o, ok := member.(*ssa.Global); ok && isMutex(o.Type().Underlying().(*types.Pointer).Elem()) {
			return true
		}
	}
	return false
}

// memory are the operations on memory of this process.
var memory = map[libs.Op]bool{
	libs.MapGet: true, libs.MapSet: true, libs.MapDelete: true, libs.MapRange: true, libs.MapCAS: true, libs.Load: true, libs.Store: true, libs.CAS: true, libs.Send: true, libs.Recv: true,
	libs.Offer: true, libs.Poll: true, libs.CloseChan: true,
	libs.Lock: true, libs.RLock: true, libs.TryLock: true, libs.Unlock: true, libs.RUnlock: true,
}

// private reports whether an event of a callee concerns nobody else: memory
// that this function made, or too much of it.
func (m *maker) private(e *Event) bool {
	return memory[e.Op] && (!shared(e.On.Desc) || len(m.sum.Events) > tooMany/2 || len(e.Site) > 5)
}
