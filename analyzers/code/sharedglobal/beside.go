package sharedglobal

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/served"
)

// reading notes the fields that handlers read without a lock, and where.
func (j *judge) reading(c *served.Context, in ssa.Instruction) {
	u, ok := in.(*ssa.UnOp)
	if !ok || u.Op != token.MUL {
		return
	}
	fa, ok := u.X.(*ssa.FieldAddr)
	if !ok || !c.Shared(fa.X) || j.anyLock(c) {
		return
	}
	if f := place.FieldOf(fa.X.Type(), fa.Field).Origin(); !j.reads[f].IsValid() {
		j.reads[f] = fa.Pos()
	}
}

// beside is where a handler reads what the loop of a goroutine sets with an event:
// a field of a structure that both have.
func (j *judge) beside(body *ssa.Function, e *flow.Event) token.Pos {
	if len(e.Site) != 1 || e.On.Root != flow.Param {
		return token.NoPos
	}
	f := j.field(body, e.Site[0])
	if f == nil {
		return token.NoPos
	}
	return j.reads[f]
}

// field is the field that a function sets at a place, within a loop.
func (j *judge) field(body *ssa.Function, at flow.Pos) (f *types.Var) {
	cfg.Each(body, func(in ssa.Instruction) {
		var addr ssa.Value
		switch in := in.(type) {
		case *ssa.Store:
			addr = in.Addr
		case *ssa.MapUpdate:
			if u, ok := in.Map.(*ssa.UnOp); ok {
				addr = u.X
			}
		}
		if fa, ok := addr.(*ssa.FieldAddr); ok && j.pos(in.Pos()) == at && cfg.Within(in.Block()) {
			f = place.FieldOf(fa.X.Type(), fa.Field).Origin()
		}
	})
	return f
}
