package bound

import (
	"go/ast"
	"go/token"
	"go/types"
)

// wrapped is n of x[i%n] = …, and of x[i] = … where i = (i+1) % n is beside it; nil
// where nothing wraps round.
func wrapped(body *ast.BlockStmt, a *ast.AssignStmt) ast.Expr {
	for _, l := range a.Lhs {
		x, ok := l.(*ast.IndexExpr)
		if !ok {
			continue
		}
		if n := modulus(x.Index); n != nil {
			return n
		}
		if n := around(body, types.ExprString(x.Index)); n != nil {
			return n
		}
	}
	return nil
}

// modulus is n of i%n.
func modulus(e ast.Expr) ast.Expr {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && b.Op == token.REM {
		return b.Y
	}
	return nil
}

// around is n of i = … % n in a body.
func around(body *ast.BlockStmt, i string) ast.Expr {
	var n ast.Expr
	ast.Inspect(body, func(x ast.Node) bool {
		if a, ok := x.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 && types.ExprString(a.Lhs[0]) == i {
			if m := modulus(a.Rhs[0]); m != nil {
				n = m
			}
		}
		return n == nil
	})
	return n
}

// offered is the channel of select { case c <- x: default: }, "" for none.
func offered(s *ast.SelectStmt) string {
	channel, otherwise := "", false
	for _, c := range s.Body.List {
		clause, ok := c.(*ast.CommClause)
		if !ok {
			continue
		}
		if clause.Comm == nil {
			otherwise = true
		}
		if send, ok := clause.Comm.(*ast.SendStmt); ok {
			channel = types.ExprString(send.Chan)
		}
	}
	if !otherwise {
		return ""
	}
	return channel
}

// array is the length of an array that a variable is declared as.
func (g *goFile) array(of ast.Expr) int64 {
	name, n := types.ExprString(of), int64(0)
	ast.Inspect(g.tree, func(x ast.Node) bool {
		spec, ok := x.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || spec.Names[0].Name != name {
			return true
		}
		if t, ok := spec.Type.(*ast.ArrayType); ok && t.Len != nil {
			n = g.value(t.Len)
		}
		return true
	})
	return n
}
