package growth

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// forgotten judges entries that live for one call: the call takes its entry out on
// some of the ways on which it ends, and leaves it there on others.
func (j *judge) forgotten(in ssa.Instruction) {
	g, ok := j.grows[in]
	if !ok || g.key == nil || j.bounds[g.holds] || len(j.answers[g.holds]) == 0 || !shared(g) || cfg.Within(in.Block()) || !j.reachable(in.Parent(), 0) {
		return
	}
	fn := in.Parent()
	out := j.left(g)
	if len(out) == 0 {
		return
	}
	if j.own(fn, g.holds) && (waits(fn, g.val) || visitor(g.key.Type()) || slices.ContainsFunc(out, failing) && j.succeeds(g)) || j.unique(g.key) && j.refused(g, out) {
		j.Found(g.pos, tell.Story(
			named(g.holds)+" keeps the entry when "+fn.Name()+" ends another way than the one on which the entry is taken out",
			"  a call adds its entry, and ends without taking it out",
			"  nobody else does: each such call leaves one, and memory rises until the process is killed",
			"fix: take it out in a defer right after it is added, which runs whatever way the call ends",
		), nil, tell.Place{Pos: j.answers[g.holds][0].Pos(), Text: "it is taken out here only"})
	}
}

// left are the returns of a call that its entry outlives.
func (j *judge) left(g growing) (out []*ssa.Return) {
	fn := g.in.Parent()
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if d, ok := in.(*ssa.Defer); ok && b.Dominates(g.in.Block()) && j.covers(d, g.holds) {
				return nil
			}
		}
	}
	cfg.Walk(g.in, func(in ssa.Instruction) cfg.Step {
		if j.covers(in, g.holds) {
			return cfg.Stop
		}
		if r, ok := in.(*ssa.Return); ok && !slices.Contains(out, r) {
			out = append(out, r)
		}
		return cfg.On
	}, func(from, to *ssa.BasicBlock) bool { return present(g.in, from, to) })
	return out
}

// present tells whether an edge is the one on which LoadOrStore has found an entry, and
// added none.
func present(add ssa.Instruction, from, to *ssa.BasicBlock) bool {
	br, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	cond, found := br.Cond, from.Succs[0]
	if not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT {
		cond, found = not.X, from.Succs[1]
	}
	loaded, ok := cond.(*ssa.Extract)
	if !ok || loaded.Index != 1 || to != found {
		return false
	}
	call, ok := loaded.Tuple.(*ssa.Call)
	return ok && ssa.Instruction(call) == add
}

// covers tells whether an instruction takes an entry out, or hands the task to what
// does: a helper, a deferred function, a goroutine, a function that is returned.
func (j *judge) covers(in ssa.Instruction, h container) bool {
	if c, ok := in.(ssa.CallInstruction); ok {
		if slices.Contains(j.answers[h], c) {
			return true
		}
		if fn := callers.Callee(c.Common()); fn != nil && j.takes(fn, h, 0) {
			return true
		}
	}
	return slices.ContainsFunc(in.Operands(nil), func(op *ssa.Value) bool {
		fn := callers.Function(*op)
		return fn != nil && j.takes(fn, h, 0)
	})
}

// takes tells whether a function takes an entry out, itself or by what it calls.
func (j *judge) takes(fn *ssa.Function, h container, depth int) bool {
	if depth > 3 {
		return false
	}
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(ssa.CallInstruction)
		if !ok || found {
			return
		}
		callee := callers.Callee(c.Common())
		found = slices.Contains(j.answers[h], c) || callee != nil && j.takes(callee, h, depth+1)
	})
	return found
}

// own tells whether nobody takes entries out but a function, and helpers that it
// alone calls.
func (j *judge) own(fn *ssa.Function, h container) bool {
	return !slices.ContainsFunc(j.answers[h], func(c ssa.CallInstruction) bool { return !j.within(c.Parent(), fn, 0) })
}

func (j *judge) within(fn, of *ssa.Function, depth int) bool {
	if fn == nil || depth > 3 {
		return false
	}
	if fn == of || fn.Parent() != nil && j.within(fn.Parent(), of, depth+1) {
		return true
	}
	return j.calls.Closed(fn) && !slices.ContainsFunc(j.calls.Calls(fn), func(c ssa.CallInstruction) bool { return !j.within(c.Parent(), of, depth+1) })
}

// waits tells whether a function makes what it stores for an answer that it waits
// for: a channel, and the function receives.
func waits(fn *ssa.Function, v ssa.Value) bool {
	if ct, ok := v.(*ssa.ChangeType); ok {
		v = ct.X
	}
	if _, made := v.(*ssa.MakeChan); !made {
		if _, made = v.(*ssa.Alloc); !made || !awaits(v.Type()) {
			return false
		}
	}
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.Select:
			found = true
		case *ssa.UnOp:
			found = found || in.Op == token.ARROW
		}
	})
	return found
}

// failing tells whether a return says that something went wrong.
func failing(r *ssa.Return) bool {
	if len(r.Results) == 0 {
		return false
	}
	v := answered(r, r.Results[len(r.Results)-1])
	k, constant := v.(*ssa.Const)
	return v.Type().String() == "error" && !(constant && k.IsNil())
}

// answered is a result of a return; where a function defers calls, each is put into a
// variable first, which they could set.
func answered(r *ssa.Return, v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return v
	}
	for _, in := range r.Block().Instrs {
		if st, ok := in.(*ssa.Store); ok && st.Addr == load.X {
			v = st.Val
		}
	}
	return v
}

// succeeds tells whether the entry is taken out when all went well. One that is taken
// out when something failed alone is data, which was to stay.
func (j *judge) succeeds(g growing) bool {
	found := false
	cfg.Each(g.in.Parent(), func(in ssa.Instruction) {
		if found || !j.covers(in, g.holds) {
			return
		}
		cfg.Walk(in, func(in ssa.Instruction) cfg.Step {
			if r, ok := in.(*ssa.Return); ok && len(r.Results) > 0 && !failing(r) {
				found = true
			}
			return cfg.On
		}, nil)
	})
	return found
}

// refused tells whether a function that answers with what it has stored, for its
// caller to take out again, can fail after it was stored: then the caller gets nothing.
func (j *judge) refused(g growing, out []*ssa.Return) bool {
	handed := func(r *ssa.Return) bool {
		return slices.ContainsFunc(r.Results, func(v ssa.Value) bool {
			v = answered(r, v)
			return v == g.val || v == g.key || place.Of(v).String() == place.Of(g.key).String()
		})
	}
	return slices.ContainsFunc(out, func(r *ssa.Return) bool { return !failing(r) && handed(r) }) &&
		slices.ContainsFunc(out, func(r *ssa.Return) bool { return failing(r) && !handed(r) && len(r.Results) > 1 })
}

// unique tells whether no two entries share a key: it is random, or counted up.
func (j *judge) unique(key ssa.Value) bool { return j.minted(key, 0) || counted(key, 0) }

// counted tells whether a key is a field or variable that the function counts up.
func counted(key ssa.Value, depth int) bool {
	if depth > 4 || key == nil {
		return false
	}
	switch v := key.(type) {
	case *ssa.BinOp:
		k, ok := v.Y.(*ssa.Const)
		return ok && v.Op == token.ADD && k.Value != nil && k.Int64() == 1
	case *ssa.Convert:
		return counted(v.X, depth+1)
	case *ssa.Call:
		return place.CalleeName(v.Common()) == "(*sync/atomic.Uint64).Add" || place.CalleeName(v.Common()) == "(*sync/atomic.Int64).Add" || place.CalleeName(v.Common()) == "sync/atomic.AddUint64"
	case *ssa.UnOp:
		return v.Op == token.MUL && incremented(v, depth)
	}
	return false
}

// incremented tells whether a field is counted up in the function that reads it.
func incremented(load *ssa.UnOp, depth int) bool {
	if made, ok := load.X.(*ssa.FieldAddr); ok {
		if a := maker(made.X); a != nil { // s.id of the s that was just made
			return slices.ContainsFunc(fieldStores(a, made.Field), func(v ssa.Value) bool { return counted(v, depth+1) })
		}
	}
	found := false
	cfg.Each(load.Parent(), func(in ssa.Instruction) {
		st, ok := in.(*ssa.Store)
		found = found || ok && place.Of(st.Addr).String() == place.Of(load.X).String() && st.Val != ssa.Value(load) && isNumber(st.Val.Type()) && counted(st.Val, depth+1)
	})
	return found
}

func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// maker is where a structure was made, also one that a function literal captured.
func maker(v ssa.Value) *ssa.Alloc {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if a, ok := load.X.(*ssa.Alloc); ok {
			v = place.Assigned(a)
		}
	}
	a, _ := v.(*ssa.Alloc)
	return a
}

// fieldStores are what the field of a structure that was just made is set to.
func fieldStores(a *ssa.Alloc, field int) (out []ssa.Value) {
	for _, r := range *a.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok || fa.Field != field {
			continue
		}
		for _, u := range *fa.Referrers() {
			if st, ok := u.(*ssa.Store); ok && st.Addr == ssa.Value(fa) {
				out = append(out, st.Val)
			}
		}
	}
	return out
}
