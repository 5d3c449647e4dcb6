package flow

import (
	"go/token"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// quietly reports whether a caller cannot tell on which side a branch came out,
// when it comes out on the given one or on the other: on the other the function
// returns at once, with no more than a nil error, or goes on where both meet.
func (m *maker) quietly(br *ssa.If, side int) bool {
	if m.isLoud() {
		return false
	}
	from := br.Block()
	taken, b := from.Succs[side], from.Succs[1-side]
	for range m.fn.Blocks {
		if m.meets(taken, b, br.Block()) {
			return !chooses(b)
		}
		switch last := b.Instrs[len(b.Instrs)-1].(type) {
		case *ssa.Return:
			return bare(b) && m.saysNothing(last, from)
		case *ssa.Jump:
			if !bare(b) {
				return false
			}
			from, b = b, b.Succs[0]
		default:
			return false
		}
	}
	return false
}

// meets reports whether a block can follow another one before the branch is asked
// again, in the next turn of a loop.
func (m *maker) meets(from, b, branch *ssa.BasicBlock) bool {
	if !m.ctl.reach[from.Index].Has(b.Index) {
		return false
	}
	if loops := m.ctl.reach[branch.Index].Has(branch.Index); !loops {
		return true
	}
	var seen Bits
	seen.Set(branch.Index)
	for next := []*ssa.BasicBlock{from}; len(next) > 0; next = next[1:] {
		for _, s := range next[0].Succs {
			if s == b {
				return true
			}
			if !seen.Has(s.Index) {
				seen.Set(s.Index)
				next = append(next, s)
			}
		}
	}
	return false
}

// chooses reports whether a value other than an error depends on how a block was
// reached.
func chooses(b *ssa.BasicBlock) bool {
	for _, in := range b.Instrs {
		if phi, ok := in.(*ssa.Phi); ok && !isError(phi.Type()) {
			return true
		}
	}
	return false
}

// bare reports whether a block does nothing before it is left.
func bare(b *ssa.BasicBlock) bool {
	for _, in := range b.Instrs[:len(b.Instrs)-1] {
		switch in.(type) {
		case *ssa.Phi, *ssa.RunDefers, *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// saysNothing reports whether a return that is reached from a block has no result
// but a nil error.
func (m *maker) saysNothing(r *ssa.Return, from *ssa.BasicBlock) bool {
	if len(r.Results) == 0 {
		return true
	}
	v := r.Results[0]
	if phi, ok := v.(*ssa.Phi); ok && phi.Block() == r.Block() {
		for i, p := range r.Block().Preds {
			if p == from {
				v = phi.Edges[i]
			}
		}
	}
	return len(r.Results) == 1 && isError(v.Type()) && isNil(v)
}

// outward are names of calls that others notice each time.
var outward = regexp.MustCompile(`(?i)send|notif|publish|enqueue|dispatch|emit|post|mail|pay|charge|refund|transfer|deliver|ship|grant|credit|sms|receipt`)

// abroad are packages whose calls leave the process.
var abroad = regexp.MustCompile(`^(net/http|net/smtp|net/rpc|os/exec|google\.golang\.org/grpc)$`)

// isLoud reports whether the function tells somebody by other means than its
// results: it changes what its caller has, or others notice its calls.
func (m *maker) isLoud() bool {
	if m.loud == 0 {
		m.loud = 1
		for _, b := range m.fn.Blocks {
			for _, in := range b.Instrs {
				if m.changes(in) || m.calls(in) || unknown(in) {
					m.loud = 2
				}
			}
		}
	}
	return m.loud == 2
}

// changes reports whether an instruction changes what the caller has.
func (m *maker) changes(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Store:
		return given(in.Addr)
	case *ssa.MapUpdate:
		return given(in.Map)
	case *ssa.Send:
		return true
	}
	return false
}

// calls reports whether others notice a call: that of a stranger whose name says
// so, or of a function that makes such a call.
func (m *maker) calls(in ssa.Instruction) bool {
	call, ok := in.(ssa.CallInstruction)
	if !ok {
		return false
	}
	c := call.Common()
	if c.IsInvoke() {
		return !sameModule(libs.Path(c.Value.Type()), m.b.pkg.Path) && outward.MatchString(c.Method.Name())
	}
	callee := c.StaticCallee()
	if callee == nil {
		return false
	}
	if sum := m.b.callee(callee); sum != nil {
		return sum.Loud
	}
	return outward.MatchString(callee.Name()) || callee.Pkg != nil && abroad.MatchString(callee.Pkg.Pkg.Path()) && callee.Signature.Results().Len() > 1
}

// unknown reports whether an instruction calls a function value. What is deferred
// cleans up.
func unknown(in ssa.Instruction) bool {
	call, ok := in.(*ssa.Call)
	if !ok || call.Call.IsInvoke() || call.Call.StaticCallee() != nil {
		return false
	}
	_, builtin := call.Call.Value.(*ssa.Builtin)
	return !builtin
}

// isHeard reports whether others notice a call in the function.
func (m *maker) isHeard() bool {
	for _, b := range m.fn.Blocks {
		if slices.ContainsFunc(b.Instrs, m.calls) {
			return true
		}
	}
	return false
}

// given reports whether a place is in what the function got from its caller.
func given(v ssa.Value) bool {
	for {
		switch x := v.(type) {
		case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
			return true
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return false
			}
			v = x.X
		default:
			return false
		}
	}
}
