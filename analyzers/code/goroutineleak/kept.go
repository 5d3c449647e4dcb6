package goroutineleak

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// kept judges the goroutine that fills a channel which a field keeps: whoever reads
// from it through the structure can stop before the last value.
func (j *judge) kept(t *trace) {
	shared := j.uses(t.field)
	if shared.unknown || t.room() < 0 {
		return
	}
	ops := append(t.ops, shared.ops...)
	for _, s := range ops {
		if s.kind != send || !s.alone || s.start == nil && !j.async(s.fn, 0) {
			continue
		}
		if cfg.Loop(s.in.Block()) == nil && j.looped(s.fn, 0) && cut(ops) {
			j.stuckKept(t, s, "the reader leaves its loop before the last value")
			return
		}
		if !shared.out && j.parting(t, s, ops) || j.announced(t, s, shared) {
			j.stuckParting(t, s)
			return
		}
		if !repeats(s) {
			continue
		}
		switch {
		case drained(ops):
		case shared.out && foresees(s):
			j.stuckKept(t, s, "the goroutine looks for its end elsewhere in the loop, and not while it sends")
			return
		case !shared.out && left(ops, s.fn) && !silentValues(t.field.Type()):
			j.stuckKept(t, s, "each reader takes one value, and may be the last")
			return
		}
	}
}

// repeats tells whether a send is one of a loop that all go into one channel. The
// answers of a server go into those that came with the questions.
func repeats(s op) bool {
	loop := cfg.Loop(s.in.Block())
	if loop == nil {
		return false
	}
	ch := ssa.Value(nil)
	switch in := s.in.(type) {
	case *ssa.Send:
		ch = in.Chan
	case *ssa.Select:
		ch = in.States[s.state].Chan
	}
	for range 8 {
		switch v := ch.(type) {
		case *ssa.UnOp:
			ch = v.X
		case *ssa.FieldAddr:
			ch = v.X
		case *ssa.Field:
			ch = v.X
		case *ssa.ChangeType:
			ch = v.X
		case *ssa.Parameter, *ssa.FreeVar:
			return true
		case *ssa.Alloc:
			return !loop[v.Block()]
		case *ssa.MakeChan:
			return !loop[v.Block()]
		default:
			return false
		}
	}
	return false
}

func (j *judge) stuckKept(t *trace, s op, why string) {
	j.stuck[s.fn] = append(j.stuck[s.fn], stuck{s.in.Pos(), tell.Story(
		"this send can wait for ever: a goroutine fills the channel that "+t.field.Name()+" keeps, and nothing takes the rest when the reader stops; "+why,
		"  the reader takes some values, and then returns: it found what it wanted, an error came, its context ended",
		"  the goroutine reaches the next send, nobody will receive, and it stays until the process ends",
		"fix: send in a select with ctx.Done() or a stop channel that Close closes; or walk with a function that yields, without a goroutine",
	), []tell.Place{{Pos: t.made.Pos(), Text: "the channel is made here"}}})
}

// shared is what a package does with the channel in a field.
type shared struct {
	ops     []op
	out     bool            // it is handed to others
	away    bool            // otherwise than as the result of a function
	lent    []*ssa.Function // that answer with it
	unknown bool            // it can be another channel
}

// uses looks at every place of the package that reads or sets the field.
func (j *judge) uses(f *types.Var) shared {
	var all shared
	for _, fn := range j.fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			switch in := in.(type) {
			case *ssa.FieldAddr:
				if g := place.FieldOf(in.X.Type(), in.Field); g != nil && g.Origin() == f {
					all.address(in)
				}
			case *ssa.Field:
				if g := place.FieldOf(in.X.Type(), in.Field); g != nil && g.Origin() == f {
					all.value(in)
				}
			}
		})
	}
	return all
}

func (u *shared) address(fa *ssa.FieldAddr) {
	for _, r := range *fa.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			u.value(r)
		case *ssa.Store:
			u.unknown = u.unknown || !madeHere(r.Val)
		case *ssa.DebugRef:
		default:
			u.unknown = true
		}
	}
}

// madeHere tells whether a value is a channel that the function made.
func madeHere(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeChan:
		return true
	case *ssa.ChangeType:
		return madeHere(v.X)
	case *ssa.FreeVar: // captured by value
		b := place.Captured(v)
		return b != nil && madeHere(b)
	case *ssa.UnOp:
		if free, ok := v.X.(*ssa.FreeVar); ok {
			cell, ok := place.Captured(free).(*ssa.Alloc)
			return ok && place.Assigned(cell) != nil && madeHere(place.Assigned(cell))
		}
		cell, ok := v.X.(*ssa.Alloc)
		return ok && place.Assigned(cell) != nil && madeHere(place.Assigned(cell))
	}
	return false
}

func (u *shared) value(ch ssa.Value) {
	add := func(o op) {
		o.fn, o.via = o.in.Parent(), o.in
		u.ops = append(u.ops, o)
	}
	for _, r := range *ch.Referrers() {
		switch r := r.(type) {
		case *ssa.Send:
			if r.Chan == ch {
				add(op{kind: send, in: r, alone: true})
			}
		case *ssa.UnOp:
			add(op{kind: recv, in: r, alone: true})
		case *ssa.Select:
			for i, st := range r.States {
				if st.Chan == ch {
					k := recv
					if st.Dir == types.SendOnly {
						k = send
					}
					add(op{kind: k, in: r, state: i, alone: len(r.States) == 1 && r.Blocking})
				}
			}
		case *ssa.ChangeType:
			u.value(r)
		case *ssa.DebugRef, *ssa.BinOp:
		case *ssa.Call:
			if _, ok := r.Call.Value.(*ssa.Builtin); !ok {
				u.out, u.away = true, true
			}
		case *ssa.Return:
			u.out, u.lent = true, append(u.lent, r.Parent())
		case *ssa.Defer:
		default:
			u.out, u.away = true, true
		}
	}
}

// drained tells whether somebody receives in a loop, until the channel is closed or
// for as long as the process runs.
func drained(ops []op) bool {
	return slices.ContainsFunc(ops, func(o op) bool { return o.kind == recv && cfg.Within(o.in.Block()) })
}

// cut tells whether all who receive do so in one loop, until the channel is closed,
// and that loop can be left before.
func cut(ops []op) bool {
	var recvs []op
	for _, o := range ops {
		if o.kind == recv {
			recvs = append(recvs, o)
		}
	}
	return len(recvs) == 1 && recvs[0].alone && cfg.Within(recvs[0].in.Block()) && leftEarly(recvs)
}

// looped tells whether a loop calls a function, or one that calls it.
func (j *judge) looped(fn *ssa.Function, depth int) bool {
	return depth < 3 && slices.ContainsFunc(j.calls.Calls(fn), func(c ssa.CallInstruction) bool {
		_, started := c.(*ssa.Go)
		return !started && (cfg.Within(c.Block()) || j.looped(c.Parent(), depth+1))
	})
}

// left tells whether the channel is read in another function than the one that
// fills it.
func left(ops []op, filler *ssa.Function) bool {
	return slices.ContainsFunc(ops, func(o op) bool { return o.kind == recv && o.fn != filler })
}

// silentValues tells whether the values of a channel say nothing, as those of a semaphore.
func silentValues(ch types.Type) bool {
	st, ok := ch.Underlying().(*types.Chan).Elem().Underlying().(*types.Struct)
	return ok && st.NumFields() == 0
}

// async tells whether a function runs in goroutines alone.
func (j *judge) async(fn *ssa.Function, depth int) bool {
	calls := j.calls.Calls(fn)
	if len(calls) == 0 || depth > 2 || fn.Parent() == nil && len(j.calls.Values(fn)) > 0 {
		return false
	}
	for _, c := range calls {
		if _, ok := c.(*ssa.Go); !ok && !j.async(c.Parent(), depth+1) {
			return false
		}
	}
	return true
}

// foresees tells whether the loop around a send waits, in another place, for
// something that tells it to end, or asks its context.
func foresees(s op) bool {
	for b := range cfg.Loop(s.in.Block()) {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.Call); ok && place.CalleeName(c.Common()) == "(context.Context).Err" {
				return true
			}
			sel, ok := in.(*ssa.Select)
			if ok && slices.ContainsFunc(sel.States, func(st *ssa.SelectState) bool { return st.Dir == types.RecvOnly && ending(st.Chan) }) {
				return true
			}
		}
	}
	return false
}

// ending tells whether a channel says no more than that something is over: that of
// a context, or one of empty structures.
func ending(ch ssa.Value) bool {
	if c, ok := ch.(*ssa.Call); ok && c.Call.IsInvoke() && c.Call.Method.Name() == "Done" {
		return true
	}
	return silentValues(ch.Type())
}
