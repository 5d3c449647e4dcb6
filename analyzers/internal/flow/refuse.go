package flow

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// refuses reports whether the function answers with an error of its own when a
// branch comes out on the other side than the given one: it was asked for something
// that it will not do there.
func (m *maker) refuses(br *ssa.If, side int) bool {
	b := br.Block().Succs[1-side]
	for range m.fn.Blocks {
		switch last := b.Instrs[len(b.Instrs)-1].(type) {
		case *ssa.Return:
			return m.answersError(last)
		case *ssa.Jump:
			b = b.Succs[0]
		default:
			return false
		}
	}
	return false
}

// answersError reports whether a return hands out an error that is not nil and that
// no event answered.
func (m *maker) answersError(r *ssa.Return) bool {
	if len(r.Results) == 0 {
		return false
	}
	v := r.Results[len(r.Results)-1]
	if !isError(v.Type()) {
		return false
	}
	if cell := namedResult(v, r.Block()); cell != nil {
		v = cell
	}
	if _, joined := v.(*ssa.Phi); joined || isNil(v) {
		return false
	}
	return !slices.ContainsFunc(m.of(v, r), func(p Part) bool { return strings.Contains(p.Source.Path, ".err") })
}

// namedResult is what a block stores into the named result that it returns, nil
// when it returns none.
func namedResult(v ssa.Value, b *ssa.BasicBlock) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return nil
	}
	var stored ssa.Value
	for _, in := range b.Instrs {
		if st, ok := in.(*ssa.Store); ok && st.Addr == load.X {
			stored = st.Val
		}
	}
	return stored
}
