package txretry

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// edit writes errors.As for "pe, ok := err.(*T)", as a statement of its own
// with both names, where the file has package errors.
func edit(pass *analysis.Pass, f flow.Found) []analysis.SuggestedFix {
	file, path := enclosing(pass, f.At.In(pass.Fset))
	if file == nil || !astutil.UsesImport(file, "errors") {
		return nil
	}
	for i, n := range path {
		as, ok := n.(*ast.AssignStmt)
		if !ok {
			continue
		}
		if _, inBlock := path[i+1].(*ast.BlockStmt); !inBlock {
			return nil
		}
		return rewrite(pass, as)
	}
	return nil
}

func rewrite(pass *analysis.Pass, as *ast.AssignStmt) []analysis.SuggestedFix {
	if as.Tok != token.DEFINE || len(as.Lhs) != 2 || len(as.Rhs) != 1 {
		return nil
	}
	ta, ok := ast.Unparen(as.Rhs[0]).(*ast.TypeAssertExpr)
	name, isName := as.Lhs[0].(*ast.Ident)
	found, isFound := as.Lhs[1].(*ast.Ident)
	if !ok || !isName || !isFound || name.Name == "_" || found.Name == "_" || !fresh(pass, name) || !fresh(pass, found) {
		return nil
	}
	text := "var " + name.Name + " " + pair.Source(pass, ta.Type) + "\n\t" + found.Name + " := errors.As(" + pair.Source(pass, ta.X) + ", &" + name.Name + ")"
	return pair.Edit("look for it inside of wrapped errors", as.Pos(), as.End(), text)
}

// fresh reports whether the assignment declares the name.
func fresh(pass *analysis.Pass, id *ast.Ident) bool {
	_, ok := pass.TypesInfo.Defs[id].(*types.Var)
	return ok
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
