package growth

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/served"
)

// survivor tells whether the same function keeps something else under the same key,
// which is taken out, while this stays: the counts of idle users go, and the lock that
// each of them had does not.
func (j *judge) survivor(g growing) bool {
	if g.key == nil || !given(g.key) || borrowed(g.val) || !stateful(plain(g.val).Type(), 0) {
		return false
	}
	key, found := place.Of(g.key).String(), false
	cfg.Each(g.in.Parent(), func(in ssa.Instruction) {
		o, ok := j.grows[in]
		found = found || ok && o.key != nil && o.holds != g.holds && j.shrinks[o.holds] && place.Of(o.key).String() == key
	})
	return found
}

// wired tells whether the program gave the key when it made the handler: there are as
// many keys as handlers.
func (j *judge) wired(handler *ssa.Function, v ssa.Value, depth int) bool {
	if v == nil || depth > 6 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.FreeVar:
		return v.Parent() == handler && !requested(handler.Parent())
	case *ssa.UnOp:
		fv, ok := v.X.(*ssa.FreeVar)
		return ok && j.wired(handler, fv, depth+1) && !assigned(fv)
	case *ssa.BinOp:
		return j.wired(handler, v.X, depth+1) && j.wired(handler, v.Y, depth+1)
	case *ssa.Parameter:
		args, all := j.calls.Args(v)
		if !all || !j.calls.Closed(v.Parent()) {
			return false
		}
		for _, a := range args {
			if !j.wired(handler, a, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// assigned tells whether a function literal sets a variable that it captured.
func assigned(fv *ssa.FreeVar) bool {
	for _, r := range *fv.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(fv) {
			return true
		}
	}
	return false
}

// requested tells whether a function has a request, which its literals then capture.
func requested(fn *ssa.Function) bool { return fn == nil || served.Takes(fn) }

// isList tells whether a type is the list of the standard library.
func isList(t types.Type) bool {
	return t.String() == "*container/list.List" || t.String() == "container/list.List"
}
