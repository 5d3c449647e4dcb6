package unclosed

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// opens reports whether a call opens the resource that it returns, and does not
// only hand out one that somebody else looks after, as a getter does that takes
// the transaction out of a context.
func (s *search) opens(r *resource, call *ssa.CallCommon) bool {
	if call.IsInvoke() {
		return r.opener(call.Method.Name())
	}
	f := call.StaticCallee()
	if f == nil || r.what == "statement" && ofTx(call) {
		return false
	}
	if f.Origin() != nil {
		f = f.Origin()
	}
	if len(f.Blocks) > 0 {
		return s.returnsOpened(f)
	}
	obj, ok := f.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return false
	}
	if slices.Contains(wrappers, obj.Pkg().Path()) || slices.ContainsFunc(resources, func(r resource) bool { return r.path == obj.Pkg().Path() }) {
		return r.opener(f.Name())
	}
	var fact leavesOpen
	return s.pass.ImportObjectFact(obj, &fact) && fact.Opens
}

// ofTx reports whether a method of a transaction is called. A statement that is
// prepared on one is closed when the transaction ends (database/sql, Tx.Prepare),
// and a transaction that does not end is told of itself.
func ofTx(call *ssa.CallCommon) bool {
	recv := call.Signature().Recv()
	if recv == nil {
		return false
	}
	r := resourceOf(recv.Type())
	return r != nil && r.what == "transaction"
}

// wrappers are packages that open resources of others, and bodies of which are
// not at hand.
var wrappers = []string{"gorm.io/gorm", "github.com/uptrace/bun", "github.com/Masterminds/squirrel"}

// returnsOpened reports whether a function returns a resource that it opened, and
// no function beside it that may give it back.
func (s *search) returnsOpened(f *ssa.Function) bool {
	if fresh, ok := s.fresh[f]; ok {
		return fresh
	}
	s.fresh[f] = false // for recursion
	for r := range f.Signature.Results().Variables() {
		if _, ok := r.Type().Underlying().(*types.Signature); ok {
			return false
		}
	}
	for _, b := range f.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if ok && slices.ContainsFunc(ret.Results, s.openedHere) {
			s.fresh[f] = true
			return true
		}
	}
	return false
}

// openedHere reports whether a value is what a call has just opened. A function that
// defers something has its results in variables.
func (s *search) openedHere(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return s.openedBy(v)
	}
	result, ok := load.X.(*ssa.Alloc)
	return ok && slices.ContainsFunc(*result.Referrers(), func(in ssa.Instruction) bool {
		st, ok := in.(*ssa.Store)
		return ok && st.Addr == load.X && s.openedBy(st.Val)
	})
}

// openedBy reports whether a value is the result of a call that opens it.
func (s *search) openedBy(v ssa.Value) bool {
	r := resourceOf(v.Type())
	if r == nil {
		return false
	}
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
	}
	call, ok := v.(*ssa.Call)
	return ok && s.opens(r, &call.Call)
}
