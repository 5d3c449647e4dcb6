package unclosed

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// edit puts a defer behind the error check that follows the call, where the
// source has that shape, and the function is done with what it opened when it
// returns. In a loop a defer would keep them all until then.
func (s *search) edit(call *ssa.Call, w *walk) *analysis.TextEdit {
	if w.resource.defers("") == "" || !w.stays() {
		return nil
	}
	for _, f := range s.pass.Files {
		if f.FileStart > call.Pos() || call.Pos() >= f.FileEnd {
			continue
		}
		path, _ := astutil.PathEnclosingInterval(f, call.Pos(), call.Pos())
		for i, n := range path {
			assign, ok := n.(*ast.AssignStmt)
			if !ok || i+1 >= len(path) {
				continue
			}
			block, ok := path[i+1].(*ast.BlockStmt)
			name := s.name(assign, call)
			if !ok || name == nil || looped(path[i+1:]) {
				return nil
			}
			return s.after(block, assign, name, w.resource.defers(name.Name))
		}
	}
	return nil
}

// stays reports whether the value is used in this function alone, so that nobody
// holds it when a defer has closed it.
func (w *walk) stays() bool {
	if len(w.gives) > 0 {
		return false
	}
	for v := range w.names {
		for _, ref := range *v.Referrers() {
			switch in := ref.(type) {
			case *ssa.Return:
				return false
			case ssa.CallInstruction:
				if !w.lent(in.Common()) {
					return false
				}
			}
		}
	}
	return true
}

// lent reports whether a call only uses the value: one of its own methods, or a
// function that reads it or leaves it open, and answers with nothing that could
// hold it.
func (w *walk) lent(call *ssa.CallCommon) bool {
	if w.method(call) != "" {
		return w.own(call)
	}
	if reads(call) {
		return true // a reader around it has its name
	}
	for i, arg := range call.Args {
		if w.names[arg] && !w.callee(call, i) {
			return false
		}
	}
	results := call.Signature().Results()
	for i := range results.Len() {
		if holds(results.At(i).Type()) {
			return false
		}
	}
	return true
}

// holds reports whether a value of the type can have another one inside.
func holds(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return false
	case *types.Interface:
		return !types.Identical(t, types.Universe.Lookup("error").Type())
	case *types.Slice:
		return holds(u.Elem())
	}
	return true
}

// name is the variable that gets the value.
func (s *search) name(assign *ast.AssignStmt, call *ssa.Call) *ast.Ident {
	if len(assign.Rhs) != 1 {
		return nil
	}
	c, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	if !ok || c.Lparen != call.Pos() {
		return nil
	}
	for _, l := range assign.Lhs {
		id, ok := l.(*ast.Ident)
		if ok && id.Name != "_" && resourceOf(s.pass.TypesInfo.TypeOf(id)) != nil {
			return id
		}
	}
	return nil
}

func looped(path []ast.Node) bool {
	for _, n := range path {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt:
			return true
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		}
	}
	return false
}

func (s *search) after(block *ast.BlockStmt, assign *ast.AssignStmt, name *ast.Ident, text string) *analysis.TextEdit {
	for i, stmt := range block.List {
		if stmt != ast.Stmt(assign) || i+1 >= len(block.List) {
			continue
		}
		check, ok := block.List[i+1].(*ast.IfStmt)
		if !ok || check.Init != nil || check.Else != nil || !s.without(check.Cond, assign, name) || !endsInReturn(check.Body) {
			return nil
		}
		return &analysis.TextEdit{Pos: check.End(), End: check.End(), NewText: []byte("\n" + text)}
	}
	return nil
}

// without reports whether a condition holds where there is no value to close:
// err != nil, or rows == nil.
func (s *search) without(cond ast.Expr, assign *ast.AssignStmt, name *ast.Ident) bool {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok {
		return false
	}
	x, isName := b.X.(*ast.Ident)
	null, isNil := b.Y.(*ast.Ident)
	if !isName || !isNil || null.Name != "nil" {
		return false
	}
	obj := s.pass.TypesInfo.ObjectOf(x)
	if b.Op == token.EQL {
		return obj == s.pass.TypesInfo.ObjectOf(name)
	}
	last, ok := assign.Lhs[len(assign.Lhs)-1].(*ast.Ident)
	return ok && b.Op == token.NEQ && last != name && obj == s.pass.TypesInfo.ObjectOf(last)
}

// endsInReturn reports whether a block leaves the function.
func endsInReturn(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	_, ok := b.List[len(b.List)-1].(*ast.ReturnStmt)
	return ok
}
