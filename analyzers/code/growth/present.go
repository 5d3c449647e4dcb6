package growth

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// replaces tells whether a statement stores where an entry was found under the same
// key, on every way that leads there: it changes the entry, and adds none.
func replaces(g growing) bool {
	return g.key != nil && !extended(g) && found(g.in.Block(), g.key, func(h container) bool { return h == g.holds })
}

// updates tells whether a structure is stored back where it was read, with a field
// changed: what it says of the key adds up.
func updates(g growing) bool {
	load, ok := g.val.(*ssa.UnOp)
	if !ok {
		return false
	}
	a, ok := load.X.(*ssa.Alloc)
	if !ok {
		return false
	}
	l := lookup(place.Assigned(a))
	return l != nil && heldBy(l.X) == g.holds && slices.ContainsFunc(*a.Referrers(), func(r ssa.Instruction) bool {
		fa, ok := r.(*ssa.FieldAddr)
		return ok && len(fieldStores(a, fa.Field)) > 0
	})
}

// known tells whether the key was found in another container, which nothing takes
// entries out of: there are no more entries than there. What the other one loses, this
// one keeps.
func (j *judge) known(g growing) bool {
	return g.key != nil && j.foundBefore(g.in.Block(), g.key, 0, func(h container) bool { return h != nil && h != g.holds && !j.shrinks[h] })
}

// foundBefore is found for a statement, or for all that call the function around it
// with the key.
func (j *judge) foundBefore(at *ssa.BasicBlock, key ssa.Value, depth int, of func(container) bool) bool {
	if found(at, key, of) {
		return true
	}
	p, ok := place.Settled(key).(*ssa.Parameter)
	if !ok || depth > 3 || !j.calls.Closed(p.Parent()) {
		return false
	}
	i := slices.Index(p.Parent().Params, p)
	return !slices.ContainsFunc(j.calls.Calls(p.Parent()), func(c ssa.CallInstruction) bool {
		args := c.Common().Args
		return i >= len(args) || !j.foundBefore(c.Block(), args[i], depth+1, of)
	})
}

// found tells whether the way to a block goes through the side of a branch on
// which the key was found in a container that is of interest, or goes over its keys.
func found(at *ssa.BasicBlock, key ssa.Value, of func(container) bool) bool {
	if next := iterated(key); next != nil && of(heldBy(next.Iter.(*ssa.Range).X)) {
		return true
	}
	for b := at; b.Idom() != nil; b = b.Idom() {
		up := b.Idom()
		br, ok := up.Instrs[len(up.Instrs)-1].(*ssa.If)
		if !ok || len(b.Preds) != 1 || b.Preds[0] != up {
			continue
		}
		if h, ok := hit(br.Cond, up.Succs[0] == b, key, 0); ok && of(h) {
			return true
		}
	}
	return false
}

// iterated is the step of a loop over a map that a value is the key of.
func iterated(v ssa.Value) *ssa.Next {
	ex, ok := v.(*ssa.Extract)
	if !ok || ex.Index != 1 {
		return nil
	}
	next, ok := ex.Tuple.(*ssa.Next)
	if !ok || next.IsString {
		return nil
	}
	return next
}

// hit is the container in which a key was found on one side of a branch.
func hit(cond ssa.Value, yes bool, key ssa.Value, depth int) (container, bool) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return hit(c.X, !yes, key, depth)
		}
	case *ssa.BinOp:
		k, ok := c.Y.(*ssa.Const)
		if ok && zero(k) && (c.Op == token.NEQ) == yes && (c.Op == token.NEQ || c.Op == token.EQL) {
			return askedUnder(c.X, key, depth)
		}
	case *ssa.Extract:
		if yes && c.Index == 1 {
			return askedUnder(c.Tuple, key, depth)
		}
	case *ssa.Lookup, *ssa.Call:
		if yes {
			return askedUnder(c, key, depth)
		}
	}
	return nil, false
}

// askedUnder is the container that a value was looked up in, under a key.
func askedUnder(v, key ssa.Value, depth int) (container, bool) {
	same := func(k ssa.Value) bool { return sameValue(settled(k), key) }
	switch v := v.(type) {
	case *ssa.Extract:
		return askedUnder(v.Tuple, key, depth)
	case *ssa.Lookup:
		return heldBy(v.X), same(v.Index)
	case *ssa.Call:
		if place.CalleeName(v.Common()) == "(*sync.Map).Load" {
			return heldAt(v.Call.Args[0]), same(plain(v.Call.Args[1]))
		}
		return askedBy(v, same, depth+1)
	}
	return nil, false
}

// askedBy is the container that a helper looks a key up in for its caller, when it
// answers with what it has found there, and else with nothing.
func askedBy(c *ssa.Call, same func(ssa.Value) bool, depth int) (h container, ok bool) {
	fn := callers.Callee(c.Common())
	if fn == nil || depth > 2 {
		return nil, false
	}
	i := slices.IndexFunc(c.Call.Args, same)
	if i < 0 || i >= len(fn.Params) {
		return nil, false
	}
	for _, b := range fn.Blocks {
		r, returns := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !returns || len(r.Results) == 0 || b == fn.Recover {
			continue
		}
		last := answered(r, r.Results[len(r.Results)-1])
		if k, constant := last.(*ssa.Const); constant && zero(k) {
			continue
		}
		at, found := hit(last, true, fn.Params[i], depth)
		if !found {
			at, found = askedUnder(last, fn.Params[i], depth)
		}
		if !found || ok && at != h {
			return nil, false
		}
		h, ok = at, true
	}
	return h, ok
}

// zero tells whether a constant is what a map answers when it has no entry.
func zero(k *ssa.Const) bool {
	if k.Value == nil {
		return true
	}
	switch k.Value.ExactString() {
	case "0", "false", `""`:
		return true
	}
	return false
}

// void notes a store that sets what was there to nothing, and leaves the key: a channel
// to nil, somebody's presence to false. Where the same function stores something as
// well, it holds a place.
func (j *judge) void(in ssa.Instruction) {
	g, ok := grow(in)
	if !ok || g.key == nil || !nothing(g) || !j.live(in.Parent()) {
		return
	}
	filled := false
	cfg.Each(in.Parent(), func(other ssa.Instruction) {
		o, ok := grow(other)
		filled = filled || ok && o.holds == g.holds && !nothing(o)
	})
	if !filled {
		j.emptied[g.holds] = true
	}
}

// presentName are sets of those who are there now.
var presentName = regexp.MustCompile(`(?i)(online|connected|joined|present|typing|logged_?in|in_?flight|watching|subscribed|viewing|listening|streaming)$`)

// nothing tells whether what is stored says that there is nothing under the key.
func nothing(g growing) bool {
	k, ok := g.val.(*ssa.Const)
	if !ok || !zero(k) {
		return false
	}
	switch t := k.Type().Underlying().(type) {
	case *types.Chan, *types.Signature, *types.Pointer, *types.Interface, *types.Map, *types.Slice:
		return true
	case *types.Basic:
		return t.Info()&types.IsBoolean != 0 && presentName.MatchString(named(g.holds)) || t.Kind() == types.UntypedNil
	}
	return false
}
