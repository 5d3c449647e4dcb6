package memcheckact

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// edit writes LoadOrStore for the shape in which the caller gets the entry
// either way, and so does not mind whose it is:
//
//	if v, ok := m.Load(key); ok {
//		return v.(T)
//	}
//	m.Store(key, v)
//	return v
//
// Where the function answers otherwise when there is one, the first caller is
// told something else than those after it, and the two must stay apart.
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
	ret, _ := after(block, stmt).(*ast.ReturnStmt)
	found := entry(pass, pair.Check(s, p.Check))
	name := pair.Free(around, "actual", "stored", "entry")
	if ret == nil || len(ret.Results) != 1 || !means(pass, ret.Results[0], val) || found == nil || name == "" {
		return nil
	}
	text, ok := handed(pass, found, val, name, ret.Pos())
	if !ok {
		return nil
	}
	return []analysis.SuggestedFix{{Message: "Use LoadOrStore, and what it answers", TextEdits: []analysis.TextEdit{
		{Pos: stmt.Pos(), End: stmt.Pos(), NewText: []byte(name + ", _ := ")},
		{Pos: sel.Sel.Pos(), End: sel.Sel.End(), NewText: []byte("LoadOrStore")},
		{Pos: ret.Results[0].Pos(), End: ret.Results[0].End(), NewText: []byte(text)},
	}}}
}

// entry is what the function returns where the Load at a place finds an entry:
// the entry itself, in its type or as it is.
func entry(pass *analysis.Pass, at flow.Pos) ast.Expr {
	call, around := pair.CallAt(pass, at)
	if call == nil || len(around) < 2 {
		return nil
	}
	load, ok := around[0].(*ast.AssignStmt)
	if !ok || len(load.Lhs) != 2 || len(load.Rhs) != 1 {
		return nil
	}
	test, block := asked(load, around)
	if test == nil {
		return nil
	}
	ret := only(test.Body)
	cond := test.Cond
	if not, ok := cond.(*ast.UnaryExpr); ok && not.Op == token.NOT {
		ret, _ = after(block, test).(*ast.ReturnStmt)
		cond = not.X
	}
	if !means(pass, cond, load.Lhs[1]) || ret == nil || len(ret.Results) != 1 {
		return nil
	}
	value := ret.Results[0]
	if ta, ok := value.(*ast.TypeAssertExpr); ok {
		value = ta.X
	}
	if !means(pass, value, load.Lhs[0]) {
		return nil
	}
	return ret.Results[0]
}

// asked is the if statement that asks whether the Load has found something, and
// the block that it is in.
func asked(load ast.Stmt, around []ast.Node) (*ast.IfStmt, *ast.BlockStmt) {
	if test, ok := around[1].(*ast.IfStmt); ok && test.Init == load && len(around) > 2 {
		block, _ := around[2].(*ast.BlockStmt)
		return test, block
	}
	block, ok := around[1].(*ast.BlockStmt)
	if !ok {
		return nil, nil
	}
	test, ok := after(block, load).(*ast.IfStmt)
	if !ok || test.Init != nil {
		return nil, nil
	}
	return test, block
}

// handed is the new entry as the one that was found is handed out. An interface
// that holds nothing would be no entry.
func handed(pass *analysis.Pass, found ast.Expr, val *ast.Ident, name string, at token.Pos) (string, bool) {
	ta, ok := found.(*ast.TypeAssertExpr)
	if !ok {
		return name, true
	}
	t := pass.TypesInfo.TypeOf(val)
	if ta.Type == nil || types.IsInterface(t) || !pair.Means(pass, ta.Type, at) || !types.AssignableTo(t, pass.TypesInfo.TypeOf(ta.Type)) {
		return "", false
	}
	return name + ".(" + pair.Source(pass, ta.Type) + ")", true
}

// only is the return statement that is all of a block.
func only(b *ast.BlockStmt) *ast.ReturnStmt {
	if len(b.List) != 1 {
		return nil
	}
	ret, _ := b.List[0].(*ast.ReturnStmt)
	return ret
}

// after is the statement that follows another one at once.
func after(b *ast.BlockStmt, s ast.Stmt) ast.Stmt {
	if b == nil {
		return nil
	}
	for i, x := range b.List {
		if x == s && i+1 < len(b.List) {
			return b.List[i+1]
		}
	}
	return nil
}

func means(pass *analysis.Pass, e, name ast.Expr) bool {
	a, ok := e.(*ast.Ident)
	b, isName := name.(*ast.Ident)
	return ok && isName && a.Name != "_" && pass.TypesInfo.ObjectOf(a) == pass.TypesInfo.ObjectOf(b)
}
