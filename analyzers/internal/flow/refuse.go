package flow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// refuses reports whether the function answers with an error of its own, or with the
// status of one, when a branch comes out on the other side than the given one: it was
// asked for something that it will not do there.
func (m *maker) refuses(br *ssa.If, side int) bool {
	b := br.Block().Succs[1-side]
	told := false
	for range m.fn.Blocks {
		told = told || slices.ContainsFunc(b.Instrs, saysNo)
		switch last := b.Instrs[len(b.Instrs)-1].(type) {
		case *ssa.Return:
			return told || m.answersError(last)
		case *ssa.Jump:
			b = b.Succs[0]
		default:
			return false
		}
	}
	return false
}

// saysNo reports whether an instruction hands a function a status of HTTP by which a
// client is turned away, 400 to 499; an os.FileMode is none, though 0o755 lies there.
func saysNo(in ssa.Instruction) bool {
	call, ok := in.(*ssa.Call)
	return ok && slices.ContainsFunc(call.Call.Args, func(v ssa.Value) bool {
		c, ok := v.(*ssa.Const)
		return ok && c.Value != nil && types.Identical(c.Type(), types.Typ[types.Int]) && c.Int64() >= 400 && c.Int64() < 500
	})
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
