package memcheckact

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// harmless tells whether two goroutines that both act do no harm.
func harmless(pass *analysis.Pass, s *flow.Summary, p pair.Pair) bool {
	return alone(pass, s, p) || made(pass, s, p) || described(pass, s, p) || owned(pass, s, p) || recovers(pass, s, p) || ofRow(pass, s, p)
}

// made tells whether an entry of a map is a value without identity, a string or a
// structure that is copied, which a call made of the key: both goroutines store
// the same, as in a cache of what was computed.
func made(pass *analysis.Pass, s *flow.Summary, p pair.Pair) bool {
	if act := &s.Events[p.Act]; act.Op != libs.MapSet || len(act.Site) > 1 || askedTwice(s, p.Check, p.Act) {
		return false
	}
	update, ok := at[*ssa.MapUpdate](pass, s.Events[p.Act].Site[0])
	if !ok || !plain(update.Value.Type()) {
		return false
	}
	return slices.ContainsFunc(calls(update.Value, map[ssa.Value]bool{}), func(c *ssa.Call) bool {
		return slices.Contains(c.Call.Args, update.Key)
	})
}

// described tells whether a list of plain values is kept for each type of the program:
// who makes it anew makes the same.
func described(pass *analysis.Pass, s *flow.Summary, p pair.Pair) bool {
	act := &s.Events[p.Act]
	if act.Op != libs.MapSet || len(act.Site) > 1 || askedTwice(s, p.Check, p.Act) {
		return false
	}
	var key, val ssa.Value
	if u, ok := at[*ssa.MapUpdate](pass, act.Site[0]); ok {
		key, val = u.Key, u.Value
	} else if c, ok := at[*ssa.Call](pass, act.Site[0]); ok && len(c.Call.Args) == 3 {
		key, val = boxed(c.Call.Args[1]), boxed(c.Call.Args[2])
	}
	if key == nil || key.Type().String() != "reflect.Type" {
		return false
	}
	list, ok := val.Type().Underlying().(*types.Slice)
	return plain(val.Type()) || ok && plain(list.Elem())
}

// boxed is the value that an interface was made of.
func boxed(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return v.X
	case *ssa.ChangeInterface:
		return v.X
	}
	return v
}

// calls are the calls whose answer a value is, whichever way it came.
func calls(v ssa.Value, seen map[ssa.Value]bool) []*ssa.Call {
	if seen[v] {
		return nil
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Call:
		return []*ssa.Call{v}
	case *ssa.Extract:
		return calls(v.Tuple, seen)
	case *ssa.Phi:
		return callsOf(v.Edges, seen)
	case *ssa.UnOp:
		variable, ok := v.X.(*ssa.Alloc)
		if !ok {
			return nil
		}
		var stored []ssa.Value
		for _, r := range *variable.Referrers() {
			if st, ok := r.(*ssa.Store); ok {
				stored = append(stored, st.Val)
			}
		}
		return callsOf(stored, seen)
	}
	return nil
}

func callsOf(vals []ssa.Value, seen map[ssa.Value]bool) (all []*ssa.Call) {
	for _, v := range vals {
		all = append(all, calls(v, seen)...)
	}
	return all
}

// plain tells whether values of a type are copied whole.
func plain(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Struct:
		return libs.Path(t) != "sync"
	}
	return false
}

// alone tells whether setting a flag is all that the check decides on:
//
//	if !seen.Load() { seen.Store(true) }
//
// Two goroutines that both do it do no harm.
func alone(pass *analysis.Pass, s *flow.Summary, p pair.Pair) bool {
	check, act := &s.Events[p.Check], &s.Events[p.Act]
	if act.Op != libs.Store || act.Note != "atomic" || act.Val.Root != flow.Const || len(check.Site) > 1 || len(act.Site) > 1 {
		return false
	}
	load, okLoad := at[*ssa.Call](pass, check.Site[0])
	store, okStore := at[*ssa.Call](pass, act.Site[0])
	if !okLoad || !okStore || load.Parent() != store.Parent() {
		return false
	}
	for _, br := range branches(load) {
		if side := sideOf(br, store.Block()); side != nil && !works(side, store) {
			return true
		}
	}
	return false
}

// sideOf are the blocks of the side of a branch that has a block; nil when the
// block is on none of them. In a loop both sides reach everything, and what only
// one of them leads to tells them apart.
func sideOf(br *ssa.If, has *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	yes, no := cfg.Sides(br.Block())
	for _, side := range []map[*ssa.BasicBlock]bool{yes, no} {
		if side[has] {
			return side
		}
	}
	for _, s := range br.Block().Succs {
		if len(s.Preds) != 1 || !s.Dominates(has) {
			continue
		}
		side := map[*ssa.BasicBlock]bool{}
		for _, b := range br.Parent().Blocks {
			if s.Dominates(b) {
				side[b] = true
			}
		}
		return side
	}
	return nil
}

// at is the instruction of a kind at a place in the source.
func at[I ssa.Instruction](pass *analysis.Pass, place flow.Pos) (found I, ok bool) {
	pos := place.In(pass.Fset)
	for _, fn := range pass.ResultOf[flow.Analyzer].(*flow.Package).Funcs {
		if fn.Syntax() == nil || pos < fn.Syntax().Pos() || pos >= fn.Syntax().End() {
			continue
		}
		cfg.Each(fn, func(in ssa.Instruction) {
			if i, is := in.(I); is && in.Pos() == pos {
				found, ok = i, true
			}
		})
	}
	return found, ok
}

// branches lists the branches on a value, its negation or its comparison.
func branches(v ssa.Value) []*ssa.If {
	var out []*ssa.If
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.If:
			out = append(out, r)
		case *ssa.UnOp:
			out = append(out, branches(r)...)
		case *ssa.BinOp:
			out = append(out, branches(r)...)
		}
	}
	return out
}

// works tells whether anything but the store happens in the blocks.
func works(blocks map[*ssa.BasicBlock]bool, store *ssa.Call) bool {
	for b := range blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Jump, *ssa.If, *ssa.DebugRef, *ssa.FieldAddr, *ssa.Return, *ssa.UnOp:
			case *ssa.Call:
				if in != store && !sets(in) {
					return true
				}
			default:
				return true
			}
		}
	}
	return false
}

// sets tells whether a call sets an atomic to a constant, which can be done twice
// as well.
func sets(c *ssa.Call) bool {
	f := c.Call.StaticCallee()
	if f == nil || f.Pkg == nil || f.Pkg.Pkg.Path() != "sync/atomic" || f.Name() != "Store" || len(c.Call.Args) != 2 {
		return false
	}
	_, constant := c.Call.Args[1].(*ssa.Const)
	return constant
}
