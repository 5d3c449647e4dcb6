package goroutineleak

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// neverTold is the name of the unexported channel field whose case the edge
// is, when nothing in the package closes it or sends on it.
func (j *judge) neverTold(from, to *ssa.BasicBlock) string {
	for _, b := range from.Parent().Blocks {
		for _, in := range b.Instrs {
			sel, ok := in.(*ssa.Select)
			if !ok {
				continue
			}
			for i, s := range from.Succs {
				n, yes, ok := cfg.Case(sel, from, i)
				if !ok || !yes || s != to || sel.States[n].Dir != types.RecvOnly {
					continue
				}
				if f := chanField(sel.States[n].Chan); f != nil && !f.Exported() && !j.told(f) {
					return f.Name()
				}
			}
		}
	}
	return ""
}

func chanField(v ssa.Value) *types.Var {
	ld, ok := v.(*ssa.UnOp)
	if !ok {
		return nil
	}
	fa, ok := ld.X.(*ssa.FieldAddr)
	if !ok || fa.Parent().Pkg.Pkg != place.FieldOf(fa.X.Type(), fa.Field).Pkg() {
		return nil
	}
	return place.FieldOf(fa.X.Type(), fa.Field)
}

// told tells whether the package closes the channel in a field, sends on it,
// hands it out, or stores one that it got from elsewhere.
func (j *judge) told(f *types.Var) bool {
	found := false
	for _, fn := range j.fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			fa, ok := in.(*ssa.FieldAddr)
			if ok && place.FieldOf(fa.X.Type(), fa.Field) == f {
				found = found || gets(fa)
			}
		})
	}
	return found
}

// gets tells whether a use of the field is more than a receive or the first make.
func gets(fa *ssa.FieldAddr) bool {
	for _, r := range *fa.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if _, made := r.Val.(*ssa.MakeChan); !made {
				if ct, ok := r.Val.(*ssa.ChangeType); !ok || !isMake(ct.X) {
					return true
				}
			}
		case *ssa.UnOp:
			for _, u := range *r.Referrers() {
				switch u := u.(type) {
				case *ssa.UnOp, *ssa.DebugRef:
				case *ssa.Select:
					for _, st := range u.States {
						if st.Chan == r && st.Dir == types.SendOnly {
							return true
						}
					}
				default:
					return true
				}
			}
		}
	}
	return false
}

func isMake(v ssa.Value) bool {
	_, ok := v.(*ssa.MakeChan)
	return ok
}

// neverClosed is the name of the unexported channel field whose end the edge
// is, when nothing in the package closes it or hands it out, and its owner
// promises an end, or a request or call ends anyhow.
func (j *judge) neverClosed(from, to *ssa.BasicBlock, per string) string {
	br, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok || from.Succs[1] != to {
		return ""
	}
	ex, ok := br.Cond.(*ssa.Extract)
	if !ok || ex.Index != 1 {
		return ""
	}
	rx, ok := ex.Tuple.(*ssa.UnOp)
	if !ok || rx.Op != token.ARROW {
		return ""
	}
	f := chanField(rx.X)
	if f == nil || f.Exported() || per != "request" && per != "call" && !promised(rx.X) || j.closed(f) {
		return ""
	}
	return f.Name()
}

// unfed is the name of the unexported channel field from which an instruction
// receives, when nobody closes it and the function that started the goroutine is the
// only one that sends: once that has returned, nothing more will come.
func (j *judge) unfed(in ssa.Instruction, by *ssa.Function) string {
	rx, ok := in.(*ssa.UnOp)
	if !ok || rx.Op != token.ARROW || by == nil {
		return ""
	}
	f := chanField(rx.X)
	if f == nil || f.Exported() || j.closed(f) || !j.onlyFrom(f, by) {
		return ""
	}
	return f.Name()
}

// onlyFrom tells whether all sends into the channel of a field are in one function.
func (j *judge) onlyFrom(f *types.Var, by *ssa.Function) bool {
	sends := 0
	for _, o := range j.uses(f).ops {
		switch {
		case o.kind != send:
		case o.fn != by:
			return false
		default:
			sends++
		}
	}
	return sends > 0
}

// promised tells whether the type that has the channel promises an end: to stop, or
// to wait until all is done.
func promised(ch ssa.Value) bool {
	fa := ch.(*ssa.UnOp).X.(*ssa.FieldAddr)
	n := pointee(fa.X.Type())
	return n != nil && (stops(n) || has(n, waitName))
}

// closed tells whether the package closes the channel in a field, or does
// anything with it but send and receive.
func (j *judge) closed(f *types.Var) bool {
	for _, fa := range place.Addresses(j.fns, f) {
		for _, r := range *fa.Referrers() {
			u, ok := r.(*ssa.UnOp)
			if st, isStore := r.(*ssa.Store); isStore && !isMake(st.Val) || ok && beyond(u) {
				return true
			}
		}
	}
	return false
}

// beyond tells whether a channel is used for more than sends and receives.
func beyond(ch *ssa.UnOp) bool {
	for _, r := range *ch.Referrers() {
		switch r := r.(type) {
		case *ssa.Send, *ssa.UnOp, *ssa.Select, *ssa.DebugRef:
		case *ssa.ChangeType:
			if !signals(r) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// signals tells whether a channel only goes to os/signal, which never closes it.
func signals(ch *ssa.ChangeType) bool {
	for _, r := range *ch.Referrers() {
		c, ok := r.(ssa.CallInstruction)
		if !ok || !strings.HasPrefix(place.CalleeName(c.Common()), "os/signal.") {
			return false
		}
	}
	return true
}
