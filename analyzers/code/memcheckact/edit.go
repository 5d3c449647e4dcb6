package memcheckact

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// edit writes LoadOrStore for the shape in which that changes nothing else:
//
//	m.Store(key, v)
//	return v
func edit(pass *analysis.Pass, s *flow.Summary, p pair.Pair) []analysis.SuggestedFix {
	if s.Events[p.Act].Call != "(*sync.Map).Store" || pair.Computed(s, p.Check, p.Act) {
		return nil
	}
	call, around := pair.CallAt(pass, pair.Act(s, p.Act))
	if call == nil || len(around) < 2 || len(call.Args) != 2 {
		return nil
	}
	stmt, isStmt := around[0].(*ast.ExprStmt)
	block, isBlock := around[1].(*ast.BlockStmt)
	sel, isSel := call.Fun.(*ast.SelectorExpr)
	val, isName := call.Args[1].(*ast.Ident)
	if !isStmt || !isBlock || !isSel || !isName {
		return nil
	}
	ret := after(block, stmt)
	if ret == nil || len(ret.Results) != 1 || !means(pass, ret.Results[0], val) {
		return nil
	}
	t := types.TypeString(pass.TypesInfo.TypeOf(val), types.RelativeTo(pass.Pkg))
	return []analysis.SuggestedFix{{Message: "Use LoadOrStore, and what it answers", TextEdits: []analysis.TextEdit{
		{Pos: stmt.Pos(), End: stmt.End(), NewText: []byte("actual, _ := " + pair.Source(pass, sel.X) + ".LoadOrStore(" + pair.Source(pass, call.Args[0]) + ", " + val.Name + ")")},
		{Pos: ret.Pos(), End: ret.End(), NewText: []byte("return actual.(" + t + ")")},
	}}}
}

// after is the return statement that follows a statement at once.
func after(b *ast.BlockStmt, s ast.Stmt) *ast.ReturnStmt {
	for i, x := range b.List {
		if x == s && i+1 < len(b.List) {
			r, _ := b.List[i+1].(*ast.ReturnStmt)
			return r
		}
	}
	return nil
}

func means(pass *analysis.Pass, e ast.Expr, name *ast.Ident) bool {
	id, ok := e.(*ast.Ident)
	return ok && pass.TypesInfo.ObjectOf(id) == pass.TypesInfo.ObjectOf(name)
}
