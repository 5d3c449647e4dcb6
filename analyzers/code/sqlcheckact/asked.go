package sqlcheckact

import (
	"go/ast"
	"go/token"
	"go/types"
)

// bare reports whether a condition compares what it names as it is: no function
// but a conversion makes something else of it. One that is a call is known by what
// the function compares.
func (e *editor) bare(cond ast.Expr) bool {
	if not, ok := ast.Unparen(cond).(*ast.UnaryExpr); ok {
		cond = not.X
	}
	if _, ok := ast.Unparen(cond).(*ast.CallExpr); ok {
		return true
	}
	bare := true
	ast.Inspect(cond, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && !e.pass.TypesInfo.Types[c.Fun].IsType() {
			bare = false
		}
		return bare
	})
	return bare
}

// once reports whether nothing else asks for what was read, and nothing changes
// it: the UPDATE would repeat one question of several.
func (e *editor) once(test *ast.IfStmt) bool {
	read := e.read(test.Cond)
	once := true
	ast.Inspect(e.function(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			once = once && (n == test || !shared(e.read(n.Cond), read))
		case *ast.SwitchStmt:
			once = once && (n.Tag == nil || !shared(e.read(n.Tag), read))
		case *ast.IncDecStmt:
			once = once && !shared(e.read(n.X), read)
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				once = once && (n.Tok == token.DEFINE || !shared(e.read(l), read))
			}
		}
		return once
	})
	return once
}

// function is the declaration around the call.
func (e *editor) function() ast.Node { return e.around[len(e.around)-2] }

// read are the variables of an expression whose address the function takes, as
// Scan needs it.
func (e *editor) read(x ast.Expr) map[types.Object]bool {
	taken := e.taken()
	all := map[types.Object]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && taken[e.pass.TypesInfo.Uses[id]] {
			all[e.pass.TypesInfo.Uses[id]] = true
		}
		return true
	})
	return all
}

func (e *editor) taken() map[types.Object]bool {
	all := map[types.Object]bool{}
	ast.Inspect(e.function(), func(n ast.Node) bool {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND {
			if id := root(u.X); id != nil && e.pass.TypesInfo.Uses[id] != nil {
				all[e.pass.TypesInfo.Uses[id]] = true
			}
		}
		return true
	})
	return all
}

// root is the variable that an expression is a part of.
func root(x ast.Expr) *ast.Ident {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.Ident:
			return y
		case *ast.SelectorExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		default:
			return nil
		}
	}
}

func shared(a, b map[types.Object]bool) bool {
	for o := range a {
		if b[o] {
			return true
		}
	}
	return false
}
