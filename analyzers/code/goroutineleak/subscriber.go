package goroutineleak

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// subscribers judges a goroutine that sends one value to a channel out of a map that
// a field keeps: the subscriber whose channel it is can have gone.
func (j *judge) subscribers(g *ssa.Go) {
	fn := callers.Callee(g.Common())
	if fn == nil || fn.Parent() != g.Parent() || !cfg.Within(g.Block()) {
		return
	}
	cfg.Each(fn, func(in ssa.Instruction) {
		if s, ok := in.(*ssa.Send); ok && !cfg.Within(s.Block()) {
			j.subscriber(g, s)
		}
	})
}

func (j *judge) subscriber(g *ssa.Go, s *ssa.Send) {
	f := listOf(outside(g, s.Chan))
	if f == nil || !j.leave(f) {
		return
	}
	made := j.roomless(f)
	if !made.IsValid() {
		return
	}
	fn := s.Parent()
	j.stuck[fn] = append(j.stuck[fn], stuck{s.Pos(), tell.Story(
		"this send can wait for ever: the channels in "+f.Name()+" have no room, and a subscriber can go between the look at them and the send",
		"  the goroutine is started for a channel that is still there",
		"  its subscriber takes the channel out, and does not receive any more",
		"  the goroutine reaches the send, nobody will receive, and it stays until the process ends",
		"fix: make the channels with room, and drop what does not fit: select { case ch <- v: default: }; or send in a select with the subscriber's done channel",
	), []tell.Place{{Pos: made, Text: "the channel is made here"}, {Pos: g.Pos(), Text: "the goroutine is started here"}}})
}

// outside is what a value in a goroutine is where the goroutine is started.
func outside(g *ssa.Go, v ssa.Value) ssa.Value {
	for range 4 {
		switch w := v.(type) {
		case *ssa.UnOp:
			free, ok := w.X.(*ssa.FreeVar)
			if !ok {
				return w
			}
			v = free
		case *ssa.ChangeType:
			v = w.X
		case *ssa.FreeVar:
			v = place.Captured(w)
		case *ssa.Alloc:
			v = place.Assigned(w)
		case *ssa.Parameter:
			for i, p := range w.Parent().Params {
				if p == w && i < len(g.Call.Args) {
					return g.Call.Args[i]
				}
			}
			return nil
		default:
			return v
		}
	}
	return v
}

// listOf is the unexported field whose map a channel was taken out of by a range.
func listOf(ch ssa.Value) *types.Var {
	for range 6 {
		switch v := ch.(type) {
		case *ssa.ChangeType:
			ch = v.X
		case *ssa.Extract:
			ch = v.Tuple
		case *ssa.Next:
			ch = v.Iter
		case *ssa.Range:
			ch = v.X
		case *ssa.IndexAddr:
			ch = v.X
		case *ssa.UnOp:
			if fa, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL && !isChan(v.Type()) {
				if f := place.FieldOf(fa.X.Type(), fa.Field); f != nil && !f.Exported() {
					return f.Origin()
				}
				return nil
			}
			ch = v.X
		default:
			return nil
		}
	}
	return nil
}

// leave tells whether the package takes entries out of the map in a field.
func (j *judge) leave(f *types.Var) (found bool) {
	j.each(func(in ssa.Instruction) {
		c, ok := in.(ssa.CallInstruction)
		if ok && place.CalleeName(c.Common()) == "builtin.delete" {
			found = found || mapField(c.Common().Args[0]) == f
		}
	})
	return found
}

// roomless is where a channel without room is made for the map in a field, as key or
// as value.
func (j *judge) roomless(f *types.Var) (at token.Pos) {
	j.each(func(in ssa.Instruction) {
		up, ok := in.(*ssa.MapUpdate)
		if !ok || mapField(up.Map) != f {
			return
		}
		for _, v := range []ssa.Value{up.Key, up.Value} {
			if made := maker(v); made != nil {
				if k, ok := made.Size.(*ssa.Const); ok && k.Int64() == 0 {
					at = made.Pos()
				}
			}
		}
	})
	return at
}

// maker is the make of a channel behind a value of the same function.
func maker(v ssa.Value) *ssa.MakeChan {
	for range 4 {
		switch w := v.(type) {
		case *ssa.MakeChan:
			return w
		case *ssa.ChangeType:
			v = w.X
		case *ssa.UnOp:
			v = w.X
		case *ssa.Alloc:
			v = place.Assigned(w)
		default:
			return nil
		}
	}
	return nil
}

func mapField(m ssa.Value) *types.Var {
	u, ok := m.(*ssa.UnOp)
	if !ok {
		return nil
	}
	fa, ok := u.X.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	if f := place.FieldOf(fa.X.Type(), fa.Field); f != nil {
		return f.Origin()
	}
	return nil
}
