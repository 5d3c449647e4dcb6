package flow

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A loop that ranges over a function is built as a call of that function, with the
// body as a literal:
//
//	for k, v := range seq { … }   // seq(func(k, v) bool { …; return true })
//
// The body runs before the call is over, its parameters are parts of the sequence,
// and a return, break or continue out of it sets a variable ("jump$1") that the
// function asks about behind the call.

func isBody(fn *ssa.Function) bool { return strings.HasPrefix(fn.Synthetic, "range-over-func") }

// ranged folds the body of a loop over a sequence of which only is known what it was
// made of; not ok when the call is no such loop.
func (m *maker) ranged(s *site, c *ssa.CallCommon) (ok bool) {
	if len(c.Args) != 1 || closureOf(c.Args[0]) == nil {
		return false
	}
	fn := closureOf(c.Args[0]).Fn.(*ssa.Function)
	if !isBody(fn) {
		return false
	}
	if sum := m.b.callee(fn); sum != nil && !slices.ContainsFunc(s.frames, func(f *frame) bool { return f.has(sum) }) {
		m.foldBody(s, c, sum, len(fn.Params))
	}
	return true
}

func (m *maker) foldBody(s *site, c *ssa.CallCommon, sum *Summary, params int) {
	i := slices.Index(s.args, c.Args[0])
	s.over = c.Value
	m.fold(s, sum, func() []Value {
		args, of := make([]Value, params), m.sequenceOf(c, s.instr)
		for k := range args {
			args[k].From = of
		}
		return append(args, s.values[i].Bound...)
	})
}

// has reports whether a function is folded here, or behind a call that was resolved.
func (f *frame) has(sum *Summary) bool {
	if f.sum == sum {
		return true
	}
	for _, g := range f.calls {
		if g.has(sum) {
			return true
		}
	}
	return false
}

// sequenceOf are the sources of a sequence; one that is a method has its receiver's.
func (m *maker) sequenceOf(c *ssa.CallCommon, use ssa.Instruction) []Part {
	parts := add(nil, m.of(c.Value, use)...)
	if mc := closureOf(c.Value); mc != nil {
		for _, b := range mc.Bindings {
			parts = add(parts, m.of(b, use)...)
		}
	}
	return parts
}

// around is the loop that a site runs by itself.
func (m *maker) around(s *site) []Loop {
	if s.over == nil {
		return nil
	}
	l := Loop{Over: m.value(s.over, s.instr), In: m.sum.Name, Pos: m.pos(s.instr)}
	if c, ok := s.over.(*ssa.Call); ok && shuffles[declaredAs(&c.Call)] {
		l.Map, l.Over = true, m.value(c.Call.Args[0], s.instr)
	}
	return []Loop{l}
}

// declaredAs is the full name of a called function, without type arguments.
func declaredAs(c *ssa.CallCommon) string {
	f := c.StaticCallee()
	if f == nil {
		return ""
	}
	return funcName(f)
}

// shuffles are the sequences in the order of a map.
var shuffles = map[string]bool{"maps.All": true, "maps.Keys": true, "maps.Values": true}

// leaves notes that a loop's body is left for what a branch in it asks: who looks
// behind the loop at how it ended asks the same.
func (m *maker) leaves(st *ssa.Store) []Part {
	v, ok := st.Addr.(*ssa.FreeVar)
	exit, isConst := st.Val.(*ssa.Const)
	if !ok || !isConst || !isBody(m.fn) || !strings.HasPrefix(v.Name(), "jump$") || exit.Int64() <= 0 {
		return nil
	}
	return calculated(m.deciding(st))
}
