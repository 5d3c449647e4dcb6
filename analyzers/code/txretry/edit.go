package txretry

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// edit looks into wrapped errors where the code asserts a type: errors.AsType
// (Go 1.26) in the place of the assertion, or errors.As in front of it.
func edit(pass *analysis.Pass, f flow.Found) []analysis.SuggestedFix {
	file, path := enclosing(pass, f.At.In(pass.Fset))
	for i, n := range path {
		as, ok := n.(*ast.AssignStmt)
		if !ok {
			continue
		}
		ta := assertion(pass, as)
		if ta == nil || pair.Commented(pass, as.Pos(), as.End()) {
			return nil
		}
		prefix, imports, ok := pair.Qualifier(pass, "errors", as.Pos())
		if !ok {
			return nil
		}
		e := &editor{pass: pass, as: as, ta: ta, errors: prefix}
		edits := e.write(version.Compare(pass.TypesInfo.FileVersions[file], "go1.26") >= 0, path[i+1])
		if edits == nil {
			return nil
		}
		return []analysis.SuggestedFix{{Message: "look for it inside of wrapped errors", TextEdits: append(edits, imports...)}}
	}
	return nil
}

// assertion is the one on the right of an assignment that also asks whether it
// holds.
func assertion(pass *analysis.Pass, as *ast.AssignStmt) *ast.TypeAssertExpr {
	if len(as.Lhs) != 2 || len(as.Rhs) != 1 {
		return nil
	}
	ta, ok := ast.Unparen(as.Rhs[0]).(*ast.TypeAssertExpr)
	if !ok || !types.Identical(pass.TypesInfo.TypeOf(ta.X), types.Universe.Lookup("error").Type()) {
		return nil
	}
	return ta
}

// editor writes the edits of one assignment.
type editor struct {
	pass   *analysis.Pass
	as     *ast.AssignStmt
	ta     *ast.TypeAssertExpr
	errors string // the package with its dot
}

// write is for the statement that holds the assignment.
func (e *editor) write(generic bool, around ast.Node) []analysis.TextEdit {
	if generic {
		text := e.errors + "AsType[" + pair.Source(e.pass, e.ta.Type) + "](" + pair.Source(e.pass, e.ta.X) + ")"
		return []analysis.TextEdit{{Pos: e.as.Rhs[0].Pos(), End: e.as.Rhs[0].End(), NewText: []byte(text)}}
	}
	name, found := e.declared(0), e.declared(1)
	if name == nil || found == nil {
		return nil
	}
	switch around := around.(type) {
	case *ast.BlockStmt:
		text := "var " + name.Name + " " + pair.Source(e.pass, e.ta.Type) + "\n\t" + found.Name + " := " + e.call(name)
		return []analysis.TextEdit{{Pos: e.as.Pos(), End: e.as.End(), NewText: []byte(text)}}
	case *ast.IfStmt:
		return e.inIf(around, name, found)
	}
	return nil
}

// inIf is for "if pe, ok := err.(*T); ok", where a nil pointer declares the name
// and nothing else asks for ok.
func (e *editor) inIf(test *ast.IfStmt, name, found *ast.Ident) []analysis.TextEdit {
	_, pointer := e.ta.Type.(*ast.StarExpr)
	first := leftmost(test.Cond)
	if !pointer || test.Init != ast.Stmt(e.as) || first == nil || e.uses(test, found) != 1 || e.pass.TypesInfo.Uses[first] != e.pass.TypesInfo.Defs[found] {
		return nil
	}
	return []analysis.TextEdit{
		{Pos: e.as.Pos(), End: e.as.End(), NewText: []byte(name.Name + " := (" + pair.Source(e.pass, e.ta.Type) + ")(nil)")},
		{Pos: first.Pos(), End: first.End(), NewText: []byte(e.call(name))},
	}
}

func (e *editor) call(name *ast.Ident) string {
	return e.errors + "As(" + pair.Source(e.pass, e.ta.X) + ", &" + name.Name + ")"
}

// declared is a name on the left that the assignment declares.
func (e *editor) declared(i int) *ast.Ident {
	id, ok := e.as.Lhs[i].(*ast.Ident)
	if !ok || id.Name == "_" || e.pass.TypesInfo.Defs[id] == nil {
		return nil
	}
	return id
}

func (e *editor) uses(within ast.Node, name *ast.Ident) (n int) {
	ast.Inspect(within, func(x ast.Node) bool {
		if id, ok := x.(*ast.Ident); ok && e.pass.TypesInfo.Uses[id] == e.pass.TypesInfo.Defs[name] {
			n++
		}
		return true
	})
	return n
}

// leftmost is the name with which a condition begins: ok && ….
func leftmost(cond ast.Expr) *ast.Ident {
	for {
		switch x := cond.(type) {
		case *ast.Ident:
			return x
		case *ast.BinaryExpr:
			if x.Op != token.LAND {
				return nil
			}
			cond = x.X
		default:
			return nil
		}
	}
}

func enclosing(pass *analysis.Pass, pos token.Pos) (*ast.File, []ast.Node) {
	for _, f := range pass.Files {
		if pos.IsValid() && f.FileStart <= pos && pos < f.FileEnd {
			path, _ := astutil.PathEnclosingInterval(f, pos, pos)
			return f, path
		}
	}
	return nil, nil
}
