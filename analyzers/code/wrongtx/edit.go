package wrongtx

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// edit puts the transaction in the place of the pool, where exactly one is in
// scope and it has the method.
func edit(pass *analysis.Pass, f flow.Found) []analysis.SuggestedFix {
	call, _ := pair.CallAt(pass, f.At)
	if call == nil {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || libs.HandleOf(pass.TypesInfo.TypeOf(sel.X)) != libs.Pool {
		return nil
	}
	tx := transaction(pass, call)
	if tx == nil || !has(tx, pass.Pkg, sel.Sel.Name, pass.TypesInfo.TypeOf(sel)) {
		return nil
	}
	return pair.Edit("run it in the transaction", sel.X.Pos(), sel.X.End(), tx.Name())
}

// transaction is the variable in scope that holds one, if there is only one.
func transaction(pass *analysis.Pass, at ast.Node) *types.Var {
	var found *types.Var
	for scope := pass.Pkg.Scope().Innermost(at.Pos()); scope != nil && scope != pass.Pkg.Scope(); scope = scope.Parent() {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if !ok || libs.HandleOf(v.Type()) != libs.Tx || v.Pos() > at.Pos() {
				continue
			}
			if found != nil {
				return nil
			}
			found = v
		}
	}
	return found
}

// has reports whether the variable has the method with the same signature.
func has(v *types.Var, pkg *types.Package, name string, sig types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(v.Type(), true, pkg, name)
	m, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	s, isSig := sig.(*types.Signature)
	return isSig && types.Identical(m.Signature().Params(), s.Params()) && types.Identical(m.Signature().Results(), s.Results())
}
