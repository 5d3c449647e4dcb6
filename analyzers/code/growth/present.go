package growth

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// replaces tells whether a statement stores where an entry was found under the same
// key, on every way that leads there: it changes the entry, and adds none.
func replaces(g growing) bool {
	return g.key != nil && !extended(g) && found(g, func(h container) bool { return h == g.holds })
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
	return g.key != nil && found(g, func(h container) bool { return h != nil && h != g.holds && !j.shrinks[h] })
}

// found tells whether the way to a statement goes through the side of a branch on
// which the key was found in a container that is of interest, or goes over its keys.
func found(g growing, of func(container) bool) bool {
	if next := iterated(g.key); next != nil && of(heldBy(next.Iter.(*ssa.Range).X)) {
		return true
	}
	for b := g.in.Block(); b.Idom() != nil; b = b.Idom() {
		up := b.Idom()
		br, ok := up.Instrs[len(up.Instrs)-1].(*ssa.If)
		if !ok || len(b.Preds) != 1 || b.Preds[0] != up {
			continue
		}
		if h, ok := hit(br.Cond, up.Succs[0] == b, g.key); ok && of(h) {
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
func hit(cond ssa.Value, yes bool, key ssa.Value) (container, bool) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return hit(c.X, !yes, key)
		}
	case *ssa.BinOp:
		k, ok := c.Y.(*ssa.Const)
		if ok && zero(k) && (c.Op == token.NEQ) == yes && (c.Op == token.NEQ || c.Op == token.EQL) {
			return askedUnder(c.X, key)
		}
	case *ssa.Extract:
		if yes && c.Index == 1 {
			return askedUnder(c.Tuple, key)
		}
	case *ssa.Lookup:
		if yes {
			return askedUnder(c, key)
		}
	}
	return nil, false
}

// askedUnder is the container that a value was looked up in, under a key.
func askedUnder(v, key ssa.Value) (container, bool) {
	same := func(k ssa.Value) bool {
		k = settled(k)
		return k == key || place.Of(k).String() == place.Of(key).String()
	}
	switch v := v.(type) {
	case *ssa.Extract:
		return askedUnder(v.Tuple, key)
	case *ssa.Lookup:
		return heldBy(v.X), same(v.Index)
	case *ssa.Call:
		if place.CalleeName(v.Common()) == "(*sync.Map).Load" {
			return heldAt(v.Call.Args[0]), same(plain(v.Call.Args[1]))
		}
	}
	return nil, false
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
