package flow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// farBack is the number of steps after which it no longer matters where a list
// comes from.
const farBack = 12

// ordered tells what order a list has: that of the map or list over which it grew in
// a loop, unless somebody has sorted it.
func (m *maker) ordered(v ssa.Value, steps int) Order {
	if steps > farBack || m.asked(v, steps) {
		return Order{}
	}
	if m.sorts(v) {
		return Order{Sorted: true}
	}
	next := func(x ssa.Value) Order { return m.ordered(x, steps+1) }
	switch v := v.(type) {
	case *ssa.Parameter:
		return m.handedIn(v)
	case *ssa.Phi:
		var all Order
		for _, e := range v.Edges {
			all = all.and(next(e))
		}
		return all
	case *ssa.MakeInterface:
		return next(v.X)
	case *ssa.ChangeType:
		return next(v.X)
	case *ssa.Slice:
		return next(v.X)
	case *ssa.UnOp:
		return next(v.X)
	case *ssa.FieldAddr:
		return next(v.X)
	case *ssa.Field:
		return next(v.X)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return m.orderedResult(call, v.Index, steps)
		}
	case *ssa.Alloc:
		var all Order
		for _, r := range *v.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(v) {
				all = all.and(next(st.Val))
			}
		}
		return all
	case *ssa.MakeSlice:
		return m.filled(v, steps)
	case *ssa.Call:
		return m.orderedResult(v, 0, steps)
	}
	return Order{}
}

// handedIn is the order of a list that a caller hands in. What a receiver holds is as
// its type keeps it.
func (m *maker) handedIn(p *ssa.Parameter) Order {
	i := m.paramIndex(p)
	if i == 0 && m.fn.Signature.Recv() != nil {
		return Order{}
	}
	return Order{As: i + 1}
}

// filled is the order of a list whose elements are set one by one in a loop.
func (m *maker) filled(made *ssa.MakeSlice, steps int) Order {
	var all Order
	for _, r := range *made.Referrers() {
		if ia, ok := r.(*ssa.IndexAddr); ok && written(ia) {
			all = all.and(m.loopOrder(ia, steps))
		}
	}
	return all
}

// orderedResult is the order of a list that a call answers with.
func (m *maker) orderedResult(call *ssa.Call, k, steps int) Order {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		if b.Name() != "append" {
			return Order{}
		}
		return m.loopOrder(call, steps).and(m.ordered(call.Call.Args[0], steps+1))
	}
	callee := call.Call.StaticCallee()
	if callee == nil {
		return Order{}
	}
	if sum := m.b.callee(callee); sum != nil {
		if k >= len(sum.Orders) {
			return Order{}
		}
		o := sum.Orders[k]
		if o.As > 0 && o.As <= len(call.Call.Args) {
			o = Order{Shuffled: o.Shuffled, Sorted: o.Sorted}.and(m.ordered(call.Call.Args[o.As-1], steps+1))
		}
		return o
	}
	if o := callee.Origin(); o != nil {
		callee = o
	}
	switch name := callee.String(); {
	case name == "maps.Keys" || name == "maps.Values":
		return Order{Shuffled: true}
	case strings.HasPrefix(name, "slices.Sorted"):
		return Order{Sorted: true}
	case strings.HasPrefix(name, "slices.") && len(call.Call.Args) > 0:
		return m.ordered(call.Call.Args[0], steps+1)
	}
	return Order{}
}

// asked reports whether one question came by a value already, on no longer a way: it
// found nothing there, and a list with many writers has more ways than anybody waits for.
func (m *maker) asked(v ssa.Value, steps int) bool {
	if steps == 0 || m.ways == nil {
		m.ways = map[ssa.Value]int{}
	}
	if old, ok := m.ways[v]; ok && old <= steps {
		return true
	}
	m.ways[v] = steps
	return false
}

// loopOrder is the order in which the loops around an instruction run: that of a
// map, or of a list.
func (m *maker) loopOrder(in ssa.Instruction, steps int) Order {
	if steps == 0 {
		m.ways = nil
	}
	var all Order
	for _, l := range m.loops {
		if !l.body[in.Block()] {
			continue
		}
		for _, h := range l.head.Instrs {
			switch h := h.(type) {
			case *ssa.Next:
				if r, ok := h.Iter.(*ssa.Range); ok {
					if _, isMap := r.X.Type().Underlying().(*types.Map); isMap {
						all.Shuffled = true
					}
				}
			case *ssa.BinOp:
				if x := lengthOf(h.Y); x != nil {
					all = all.and(m.ordered(x, steps+1))
				}
			}
		}
	}
	return all
}

// sorts reports whether the function sorts a list, anywhere.
func (m *maker) sorts(v ssa.Value) bool {
	if !isSlice(v) {
		return false
	}
	if m.sorted == nil {
		m.sorted = map[ssa.Value]bool{}
		cfg.Each(m.fn, func(in ssa.Instruction) {
			if call, ok := in.(*ssa.Call); ok {
				m.noteSorted(call)
			}
		})
	}
	return m.sorted[kept(v)]
}

// noteSorted notes the lists that a call sorts: by itself, or in a function of the
// module that it is.
func (m *maker) noteSorted(call *ssa.Call) {
	args := call.Call.Args
	if row := m.rowOf(call); row != nil {
		if row.Op == libs.Sort && len(args) > 0 {
			m.sorted[kept(args[0])] = true
		}
		return
	}
	callee := call.Call.StaticCallee()
	if callee == nil {
		return
	}
	sum := m.b.callee(callee)
	if sum == nil {
		return
	}
	for i := range sum.Events {
		e := &sum.Events[i]
		if e.Op == libs.Sort && e.On.Root == Param && e.On.Path == "" && e.On.N >= 0 && e.On.N < len(args) {
			m.sorted[kept(args[e.On.N])] = true
		}
	}
}

// kept is the variable that a value was read from, or the value itself.
func kept(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.UnOp:
			v = x.X
		default:
			return v
		}
	}
}

// noteOrder notes the order of a list that the function answers with.
func (m *maker) noteOrder(rets []*ssa.Return, k int) {
	for _, r := range rets {
		v := r.Results[k]
		if !isSlice(v) {
			continue
		}
		if o := m.ordered(v, 0); o != (Order{}) {
			if m.sum.Orders == nil {
				m.sum.Orders = make([]Order, len(r.Results))
			}
			m.sum.Orders[k] = m.sum.Orders[k].and(o)
		}
	}
}
