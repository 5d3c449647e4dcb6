package openrows

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// openers are how the names of methods begin that open something. Getters of
// what is open already, such as one that takes the transaction out of a context,
// have other names.
var openers = []string{"Query", "NamedQuery", "Prepare", "PreparedStmt", "Begin", "MustBegin", "Conn", "Acquire", "SendBatch"}

func opener(name string) bool {
	return slices.ContainsFunc(openers, func(o string) bool { return strings.HasPrefix(name, o) }) && !strings.HasPrefix(name, "QueryRow")
}

// opens reports whether a call opens the resource that it returns, and does not
// only hand out one that somebody else looks after.
func (s *search) opens(call *ssa.CallCommon) bool {
	if call.IsInvoke() {
		return opener(call.Method.Name())
	}
	f := call.StaticCallee()
	if f == nil {
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
	if slices.ContainsFunc(resources, func(r resource) bool { return r.path == obj.Pkg().Path() }) {
		return opener(f.Name())
	}
	var fact leavesOpen
	return s.pass.ImportObjectFact(obj, &fact) && fact.Opens
}

// returnsOpened reports whether a function returns a resource that it opened.
func (s *search) returnsOpened(f *ssa.Function) bool {
	if fresh, ok := s.fresh[f]; ok {
		return fresh
	}
	s.fresh[f] = false // for recursion
	for _, b := range f.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if ok && slices.ContainsFunc(ret.Results, s.openedHere) {
			s.fresh[f] = true
			return true
		}
	}
	return false
}

// openedHere reports whether a value is what a call has just opened.
func (s *search) openedHere(v ssa.Value) bool {
	if resourceOf(v.Type()) == nil {
		return false
	}
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
	}
	call, ok := v.(*ssa.Call)
	return ok && s.opens(&call.Call)
}
