package unclosed

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// cancelled reports whether a call is given a context that this function cancels
// when it returns, whichever way it does.
func cancelled(call *ssa.CallCommon) bool {
	return slices.ContainsFunc(call.Args, func(v ssa.Value) bool {
		ctx, ok := read(v).(*ssa.Extract)
		return ok && libs.Path(ctx.Type()) == "context" && makes(ctx.Tuple) && deferred(ctx.Tuple)
	})
}

// read is the value of a variable that is set once.
func read(v ssa.Value) ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok {
		if cell, ok := load.X.(*ssa.Alloc); ok && place.Assigned(cell) != nil {
			return place.Assigned(cell)
		}
	}
	return v
}

// makes reports whether a call makes a context that can be cancelled.
func makes(tuple ssa.Value) bool {
	c, ok := tuple.(*ssa.Call)
	return ok && slices.Contains([]string{"context.WithCancel", "context.WithTimeout", "context.WithDeadline"}, place.CalleeName(c.Common()))
}

// deferred reports whether the cancel function that came with a context runs when
// the function around it returns.
func deferred(tuple ssa.Value) bool {
	return slices.ContainsFunc(*tuple.Referrers(), func(in ssa.Instruction) bool {
		cancel, ok := in.(*ssa.Extract)
		return ok && cancel.Index == 1 && slices.ContainsFunc(*cancel.Referrers(), func(in ssa.Instruction) bool {
			d, ok := in.(*ssa.Defer)
			return ok && d.Call.Value == cancel
		})
	})
}
