package growth

import (
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// perKey tells whether what is stored is state of its own for each key: it
// carries a time, a lock, a counter or a limiter, or it was computed for the
// key. A registry of functions and a store of plain values are neither.
func (j *judge) perKey(g growing) bool {
	if g.key != nil && bounded(g.key) {
		return false
	}
	if j.visits(g) || j.works(g) || j.indexes(g) || j.outlives(g) {
		return true
	}
	if timed(g) || stateful(g.val.Type(), 0) {
		return !borrowed(g.val)
	}
	if g.key != nil && (extended(g) || j.counted[g.holds]) {
		return j.chosen(g.key, 0) || client(g.key)
	}
	if g.key == nil { // a list: every request adds to it
		_, registers := g.val.Type().Underlying().(*types.Signature)
		_, text := g.val.Type().Underlying().(*types.Basic)
		return !registers && (text || !borrowed(g.val))
	}
	if b, ok := g.val.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsNumeric != 0 {
		return client(g.key)
	}
	return j.chosen(g.key, 0) && (j.computed(g) || j.remembered(g) || j.filled(g))
}

// extended tells whether a key gets a longer list than it had.
func extended(g growing) bool {
	c, ok := g.val.(*ssa.Call)
	if !ok || place.CalleeName(c.Common()) != "builtin.append" {
		return false
	}
	old, ok := c.Call.Args[0].(*ssa.Lookup)
	return ok && heldBy(old.X) == g.holds
}

// routeName are what the program itself calls its methods and routes.
var routeName = regexp.MustCompile(`\.(FullMethod|FullPath|Method|Pattern|RoutePattern)(\(.*)?$`)

// bounded tells whether there can be few keys only.
func bounded(key ssa.Value) bool {
	if _, constant := key.(*ssa.Const); constant || routeName.MatchString(place.Of(key).String()) {
		return true
	}
	switch t := key.Type().Underlying().(type) {
	case *types.Basic:
		if t.Kind() == types.Bool || t.Kind() == types.Uint8 || t.Kind() == types.Int8 {
			return true
		}
		_, named := types.Unalias(key.Type()).(*types.Named)
		return named && t.Info()&types.IsInteger != 0 && t.Kind() != types.Int64 && t.Kind() != types.Uint64
	case *types.Interface:
		return key.Type().String() == "reflect.Type"
	}
	return false
}

// timed tells whether the value carries a time, and the clock is read where it is stored.
func timed(g growing) bool {
	if !holdsTime(g.val.Type(), 0) {
		return false
	}
	found := false
	cfg.Each(g.in.Parent(), func(in ssa.Instruction) {
		if c, ok := in.(*ssa.Call); ok {
			found = found || place.CalleeName(c.Common()) == "time.Now"
		}
	})
	return found
}

func holdsTime(t types.Type, depth int) bool {
	if t.String() == "time.Time" {
		return true
	}
	if depth > 3 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return holdsTime(u.Elem(), depth+1)
	case *types.Slice:
		return holdsTime(u.Elem(), depth+1)
	case *types.Map:
		return holdsTime(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if holdsTime(f.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// stateful tells whether a type is made to change: locks, channels, atomics,
// limiters, or a pointer to a structure that counts.
func stateful(t types.Type, depth int) bool {
	switch libs.Path(t) {
	case "sync", "sync/atomic", "golang.org/x/time/rate", "golang.org/x/sync/semaphore", "container/list":
		return true
	}
	if depth > 2 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return true
	case *types.Pointer:
		return stateful(u.Elem(), depth+1) || !unchanging.MatchString(u.Elem().String()) && counts(u.Elem()) || numeric(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if _, basic := f.Type().Underlying().(*types.Basic); !basic && stateful(f.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// unchanging are types that are made once and only read, whatever numbers they have.
var unchanging = regexp.MustCompile(`^(regexp\.Regexp|(text|html)/template\.Template|time\.Location|net/url\.URL|net\.IPNet|math/big\.\w+|crypto/\w+\.\w+)$`)

// numeric tells whether a type is a number: behind a pointer it is a counter.
func numeric(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// counts tells whether a structure has a number among its unexported fields.
func counts(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		b, basic := f.Type().Underlying().(*types.Basic)
		if basic && !f.Exported() && b.Info()&types.IsNumeric != 0 {
			return true
		}
	}
	return false
}

// borrowed tells whether the value is an existing object that something else
// holds: an element or a field that was read.
func borrowed(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		switch x := v.X.(type) {
		case *ssa.FieldAddr:
			_, made := x.X.(*ssa.Alloc)
			return !made
		case *ssa.IndexAddr, *ssa.Global:
			return true
		}
	case *ssa.Field, *ssa.Lookup, *ssa.Next:
		return true
	case *ssa.Extract:
		return borrowed(v.Tuple)
	}
	return false
}

// computed tells whether the container is a cache: it is asked for the key in
// the same function, or by a helper of it, and what is stored came from a call.
func (j *judge) computed(g growing) bool {
	v := g.val
	if ex, ok := v.(*ssa.Extract); ok {
		v = ex.Tuple
	}
	switch v := v.(type) {
	case *ssa.Call:
		return !strings.HasPrefix(place.CalleeName(v.Common()), "builtin.") && j.asksFor(g.in.Parent(), g.holds)
	case *ssa.Alloc:
		return empty(v) && j.asksFor(g.in.Parent(), g.holds)
	}
	return false
}

// empty tells whether an object was made to be filled later: nothing but constants
// and containers made for it is in it yet.
func empty(a *ssa.Alloc) bool {
	for _, r := range *a.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, u := range *fa.Referrers() {
			st, ok := u.(*ssa.Store)
			if !ok {
				continue
			}
			if _, constant := st.Val.(*ssa.Const); !constant && !fresh(st.Val) {
				return false
			}
		}
	}
	return true
}

// remembered tells whether the container is a set of what was seen: it is asked
// for the key in the same function, or by a helper of it, and says nothing but that it
// was there.
func (j *judge) remembered(g growing) bool {
	v := g.val
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	k, constant := v.(*ssa.Const)
	if !constant || g.key == nil {
		return false
	}
	switch t := k.Type().Underlying().(type) {
	case *types.Struct:
		return t.NumFields() == 0 && j.asksFor(g.in.Parent(), g.holds)
	case *types.Basic:
		return t.Info()&types.IsBoolean != 0 && j.asksFor(g.in.Parent(), g.holds)
	}
	return false
}

// filled tells whether a function stores what those that call it did not find, and
// had made.
func (j *judge) filled(g growing) bool {
	p, ok := g.val.(*ssa.Parameter)
	if !ok {
		return false
	}
	args, _ := j.calls.Args(p)
	return slices.ContainsFunc(args, func(a ssa.Value) bool { return madeHere(a) && j.asksFor(a.Parent(), g.holds) })
}

// madeHere tells whether a value is the answer of a call, or what one has put into a
// variable, as a decoder does.
func madeHere(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Extract:
		return madeHere(v.Tuple)
	case *ssa.Call:
		return !strings.HasPrefix(place.CalleeName(v.Common()), "builtin.")
	case *ssa.UnOp:
		made, ok := v.X.(*ssa.Alloc)
		return ok && slices.ContainsFunc(*made.Referrers(), func(r ssa.Instruction) bool {
			_, passed := r.(*ssa.MakeInterface)
			return passed
		})
	}
	return false
}

// asksFor is asks for a function and the helpers that it calls.
func (j *judge) asksFor(fn *ssa.Function, h container) bool {
	found := asks(fn, h)
	cfg.Each(fn, func(in ssa.Instruction) {
		if c, ok := in.(*ssa.Call); ok && !found {
			callee := callers.Callee(c.Common())
			found = callee != nil && callee.Pkg == fn.Pkg && asks(callee, h)
		}
	})
	return found
}

// asked tells whether the function looks into the container as well.
func asked(g growing) bool { return asks(g.in.Parent(), g.holds) }

// asks tells whether a function looks into a container.
func asks(fn *ssa.Function, h container) bool {
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.Lookup:
			found = found || heldBy(in.X) == h
		case *ssa.Call:
			name := place.CalleeName(in.Common())
			found = found || (name == "(*sync.Map).Load" || name == "(*sync.Map).LoadOrStore") && heldAt(in.Call.Args[0]) == h
		}
	})
	return found
}

// guards tells whether a type is a lock or a limiter: there is one for each key.
func guards(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	switch libs.Path(t) {
	case "sync", "golang.org/x/time/rate", "golang.org/x/sync/semaphore":
		return true
	}
	return false
}
