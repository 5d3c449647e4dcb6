package wallclock

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// stampIn is the field or the getter that a time was read with, and the record that has
// it. What the system says of a file is no stamp of a writer's.
func stampIn(v ssa.Value) (types.Object, ssa.Value) {
	if f, _ := fieldRead(v); f != nil {
		return f, owner(v)
	}
	c, ok := v.(*ssa.Call)
	if !ok {
		return nil, nil
	}
	if place.CalleeName(c.Common()) == "(*google.golang.org/protobuf/types/known/timestamppb.Timestamp).AsTime" {
		return stampIn(c.Call.Args[0])
	}
	if c.Call.IsInvoke() && len(c.Call.Args) == 0 && c.Call.Method.Name() != "ModTime" {
		return c.Call.Method, behindCopy(c.Call.Value)
	}
	fn := c.Call.StaticCallee()
	if fn == nil || fn.Object() == nil || fn.Signature.Recv() == nil || len(c.Call.Args) != 1 || strings.HasPrefix(fn.String(), "(time.") {
		return nil, nil
	}
	return fn.Object(), behindCopy(c.Call.Args[0])
}

// sameCaptured tells whether both were loaded from one variable that a closure has
// captured.
func sameCaptured(x, y ssa.Value) bool {
	a, b := loaded(x), loaded(y)
	_, ok := a.(*ssa.FreeVar)
	return ok && a == b
}

// rebuilt tells whether a value is a new record of the same type that takes over its
// time and another field.
func rebuilt(val, rec ssa.Value) bool {
	alloc, ok := val.(*ssa.Alloc)
	if u, load := val.(*ssa.UnOp); load && u.Op == token.MUL {
		alloc, ok = u.X.(*ssa.Alloc)
	}
	if !ok || !types.Identical(element(alloc.Type()), element(rec.Type())) {
		return false
	}
	timed, other := false, false
	for _, r := range *alloc.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, r := range *fa.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == fa && owner(st.Val) == rec {
				timed, other = timed || isTime(st.Val.Type()), other || !isTime(st.Val.Type())
			}
		}
	}
	return timed && other
}
