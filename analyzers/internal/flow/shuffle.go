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

// shuffled reports whether a list has the order of a map: it grew in a loop over
// one, or over such a list, and nobody has sorted it.
func (m *maker) shuffled(v ssa.Value, steps int) bool {
	if steps > farBack || m.asked(v, steps) || m.sorts(v) {
		return false
	}
	next := func(x ssa.Value) bool { return m.shuffled(x, steps+1) }
	switch v := v.(type) {
	case *ssa.Phi:
		for _, e := range v.Edges {
			if next(e) {
				return true
			}
		}
	case *ssa.MakeInterface:
		return next(v.X)
	case *ssa.ChangeType:
		return next(v.X)
	case *ssa.Slice:
		return next(v.X)
	case *ssa.UnOp:
		return next(v.X)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return m.shuffledResult(call, v.Index, steps)
		}
	case *ssa.Alloc:
		for _, r := range *v.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(v) && next(st.Val) {
				return true
			}
		}
	case *ssa.Call:
		return m.shuffledResult(v, 0, steps)
	}
	return false
}

// shuffledResult reports whether a call answers with such a list.
func (m *maker) shuffledResult(call *ssa.Call, k, steps int) bool {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return b.Name() == "append" && (m.inRandomLoop(call, steps) || m.shuffled(call.Call.Args[0], steps+1))
	}
	callee := call.Call.StaticCallee()
	if callee == nil {
		return false
	}
	if sum := m.b.callee(callee); sum != nil {
		return k < len(sum.Shuffled) && sum.Shuffled[k]
	}
	if o := callee.Origin(); o != nil {
		callee = o
	}
	switch name := callee.String(); {
	case name == "maps.Keys" || name == "maps.Values":
		return true
	case strings.HasPrefix(name, "slices.") && !strings.HasPrefix(name, "slices.Sorted") && len(call.Call.Args) > 0:
		return m.shuffled(call.Call.Args[0], steps+1)
	}
	return false
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

// inRandomLoop reports whether an instruction is in a loop over a map, or over a
// list in the order of one.
func (m *maker) inRandomLoop(in ssa.Instruction, steps int) bool {
	if steps == 0 {
		m.ways = nil
	}
	for _, l := range m.loops {
		if !l.body[in.Block()] {
			continue
		}
		for _, h := range l.head.Instrs {
			switch h := h.(type) {
			case *ssa.Next:
				if r, ok := h.Iter.(*ssa.Range); ok {
					if _, isMap := r.X.Type().Underlying().(*types.Map); isMap {
						return true
					}
				}
			case *ssa.BinOp:
				if x := lengthOf(h.Y); x != nil && m.shuffled(x, steps+1) {
					return true
				}
			}
		}
	}
	return false
}

// sorts reports whether the function sorts a list, anywhere.
func (m *maker) sorts(v ssa.Value) bool {
	if !isSlice(v) {
		return false
	}
	if m.sorted == nil {
		m.sorted = map[ssa.Value]bool{}
		cfg.Each(m.fn, func(in ssa.Instruction) {
			call, ok := in.(*ssa.Call)
			if !ok || len(call.Call.Args) == 0 {
				return
			}
			if row := m.rowOf(call); row != nil && row.Op == libs.Sort {
				m.sorted[kept(call.Call.Args[0])] = true
			}
		})
	}
	return m.sorted[kept(v)]
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

// shuffles notes that the function answers with a list in the order of a map.
func (m *maker) shuffles(rets []*ssa.Return, k int) {
	for _, r := range rets {
		if v := r.Results[k]; isSlice(v) && m.shuffled(v, 0) {
			if m.sum.Shuffled == nil {
				m.sum.Shuffled = make([]bool, len(r.Results))
			}
			m.sum.Shuffled[k] = true
		}
	}
}
