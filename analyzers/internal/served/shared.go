package served

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// Shared tells whether v is, or points into, memory that all requests have in
// common: a global, what the handler's receiver or captured variables lead to.
func (c *Context) Shared(v ssa.Value) bool { return c.shared(v, map[ssa.Value]bool{}) }

func (c *Context) shared(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] || libs.Request(v.Type()) {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Global:
		return true
	case *ssa.Parameter:
		return bit(c.params, v.Parent().Params, v)
	case *ssa.FreeVar:
		return bit(c.free, v.Parent().FreeVars, v)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if c.shared(e, seen) {
				return true
			}
		}
		return false
	case *ssa.Alloc:
		if s := place.Assigned(v); s != nil {
			return c.shared(s, seen)
		}
		return false
	case *ssa.Call:
		return c.answered(v, seen)
	}
	if x := place.Base(v); x != nil {
		return c.shared(x, seen)
	}
	return false
}

func bit[T comparable](mask uint64, all []T, x T) bool {
	for i, e := range all {
		if e == x && i < 64 {
			return mask>>i&1 == 1
		}
	}
	return false
}

// answered tells whether the result of a call is shared: an element of a
// sync.Map, or what a function of the package returns from a global.
func (c *Context) answered(v *ssa.Call, seen map[ssa.Value]bool) bool {
	name := place.CalleeName(v.Common())
	if strings.HasPrefix(name, "(*sync.Map).Load") || strings.HasPrefix(name, "(*sync/atomic.") && strings.HasSuffix(name, ".Load") {
		return c.shared(v.Call.Args[0], seen)
	}
	fn := callers.Callee(v.Common())
	if fn == nil || len(fn.Params) > 0 {
		return false
	}
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(r.Results) > 0 && place.Of(r.Results[0]).Root().Kind == place.Global {
			return true
		}
	}
	return false
}
