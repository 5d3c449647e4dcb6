package wrongtx

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// edit puts the transaction in the place of the pool, where exactly one is in
// scope, it has the method, and it is free for another statement.
func edit(pass *analysis.Pass, f flow.Found) []analysis.SuggestedFix {
	call, around := pair.CallAt(pass, f.At)
	if call == nil {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || libs.HandleOf(pass.TypesInfo.TypeOf(sel.X)) != libs.Pool {
		return nil
	}
	tx := only(pass, call, libs.Tx)
	if tx == nil || !pair.Visible(pass, tx, call.Pos()) || !has(tx, pass.Pkg, sel.Sel.Name, pass.TypesInfo.TypeOf(sel)) {
		return nil
	}
	e := &editor{pass: pass, fn: function(around), tx: tx}
	if e.fn == nil || !e.begun() || e.busy(call, around) || e.unused(sel.X) {
		return nil
	}
	return pair.Edit("run it in the transaction", sel.X.Pos(), sel.X.End(), tx.Name())
}

// only is the variable in scope that holds such a handle, if there is only one.
func only(pass *analysis.Pass, at ast.Node, h libs.Handle) *types.Var {
	var found *types.Var
	for scope := pass.Pkg.Scope().Innermost(at.Pos()); scope != nil && scope != pass.Pkg.Scope(); scope = scope.Parent() {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if !ok || libs.HandleOf(v.Type()) != h || v.Pos() > at.Pos() {
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

// editor asks about the function around a statement.
type editor struct {
	pass *analysis.Pass
	fn   ast.Node // the innermost function
	tx   *types.Var
}

func function(around []ast.Node) ast.Node {
	for _, n := range around {
		switch n.(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return n
		}
	}
	return nil
}

// begun reports whether the transaction is one wherever it is in scope: it came
// as a parameter of this very function or with its declaration, and nobody asks
// whether there is one.
func (e *editor) begun() bool {
	if e.tx.Pos() < e.fn.Pos() || e.fn.End() < e.tx.Pos() {
		return false
	}
	ok := true
	ast.Inspect(e.fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			ok = ok && !(len(n.Values) == 0 && n.Pos() <= e.tx.Pos() && e.tx.Pos() < n.End())
		case *ast.BinaryExpr:
			ok = ok && !(e.isTx(n.X) && isNil(n.Y))
		}
		return ok
	})
	return ok
}

func (e *editor) isTx(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && e.pass.TypesInfo.Uses[id] == types.Object(e.tx)
}

func isNil(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "nil"
}

// busy reports whether rows can be open at the call: a transaction is one
// connection, which answers one statement after the other.
func (e *editor) busy(call *ast.CallExpr, around []ast.Node) bool {
	for _, n := range around {
		loop, ok := n.(*ast.ForStmt)
		if ok && e.next(loop) {
			return true
		}
	}
	open := false
	ast.Inspect(e.fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			open = open || n.End() <= call.Pos() && e.opens(n)
		case *ast.ForStmt:
			open = open && !(n.End() <= call.Pos() && e.next(n)) // read to the end
		case *ast.ExprStmt:
			c, ok := n.X.(*ast.CallExpr)
			open = open && !(ok && n.End() <= call.Pos() && selects(c, "Close"))
		}
		return true
	})
	return open
}

// next reports whether a loop goes through rows.
func (e *editor) next(loop *ast.ForStmt) bool {
	c, ok := loop.Cond.(*ast.CallExpr)
	return ok && selects(c, "Next")
}

// opens reports whether an assignment gets rows.
func (e *editor) opens(as *ast.AssignStmt) bool {
	for _, l := range as.Lhs {
		if t := e.pass.TypesInfo.TypeOf(l); t != nil && strings.HasSuffix(t.String(), "Rows") {
			return true
		}
	}
	return false
}

func selects(c *ast.CallExpr, name string) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == name
}

// unused reports whether nothing else would use the variable in which the pool
// is: Go does not compile that.
func (e *editor) unused(x ast.Expr) bool {
	for {
		sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
		if !ok {
			break
		}
		x = sel.X
	}
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return true // what else a call does has to stay
	}
	v, ok := e.pass.TypesInfo.Uses[id].(*types.Var)
	if !ok || v.Parent() == e.pass.Pkg.Scope() || e.parameter(v) {
		return false
	}
	n := 0
	for _, o := range e.pass.TypesInfo.Uses {
		if o == types.Object(v) {
			n++
		}
	}
	return n < 2
}

// parameter reports whether a variable is declared in the head of a function.
func (e *editor) parameter(v *types.Var) bool {
	return v.Kind() == types.ParamVar || v.Kind() == types.RecvVar || v.Kind() == types.ResultVar
}
