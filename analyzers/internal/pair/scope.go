package pair

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"

	"golang.org/x/tools/go/analysis"
)

// Plain tells whether a condition asks one thing, so that its other side is
// where that one thing is otherwise.
func Plain(cond ast.Expr) bool {
	plain := true
	ast.Inspect(cond, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		plain = plain && !(ok && (b.Op == token.LAND || b.Op == token.LOR))
		return plain
	})
	return plain
}

// Means tells whether every name of an expression means the same at another
// place, so that the expression can be written there.
func Means(pass *analysis.Pass, e ast.Expr, at token.Pos) bool {
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // what is selected is in no scope
			same = same && Means(pass, n.X, at)
			return false
		case *ast.Ident:
			obj := pass.TypesInfo.ObjectOf(n)
			if obj != nil && obj.Parent() != nil { // not a field of a literal
				same = same && visible(pass, n.Name, at) == obj
			}
		}
		return same
	})
	return same
}

// visible is what a name means at a place, nil for nothing.
func visible(pass *analysis.Pass, name string, at token.Pos) types.Object {
	scope := pass.Pkg.Scope().Innermost(at)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, at)
	return obj
}

// Visible tells whether a variable has its name at a place, and no other thing.
func Visible(pass *analysis.Pass, v *types.Var, at token.Pos) bool {
	return visible(pass, v.Name(), at) == types.Object(v)
}

// Free is the first of the names that the function around does not use, "" when
// it uses all of them.
func Free(around []ast.Node, names ...string) string {
	used := map[string]bool{}
	for _, n := range around {
		if fn, ok := n.(*ast.FuncDecl); ok {
			ast.Inspect(fn, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					used[id.Name] = true
				}
				return true
			})
		}
	}
	for _, n := range names {
		if !used[n] {
			return n
		}
	}
	return ""
}

// Commented tells whether a comment stands between two places: an edit that
// writes all between them anew would lose it.
func Commented(pass *analysis.Pass, from, to token.Pos) bool {
	f := fileAt(pass, from)
	if f == nil {
		return false
	}
	for _, g := range f.Comments {
		if g.Pos() < to && from < g.End() {
			return true
		}
	}
	return false
}

func fileAt(pass *analysis.Pass, pos token.Pos) *ast.File {
	for _, f := range pass.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return f
		}
	}
	return nil
}

// Qualifier is what stands before the names of a package at a place: "errors.",
// another name, nothing after a dot import. Where the file does not import the
// package, edits add that; not ok when something else has its name.
func Qualifier(pass *analysis.Pass, pkg string, at token.Pos) (prefix string, edits []analysis.TextEdit, ok bool) {
	file := fileAt(pass, at)
	if file == nil {
		return "", nil, false
	}
	for _, spec := range file.Imports {
		name := pass.TypesInfo.PkgNameOf(spec)
		if name == nil || name.Imported().Path() != pkg || name.Name() == "_" {
			continue
		}
		if name.Name() == "." {
			return "", nil, true
		}
		return name.Name() + ".", nil, visible(pass, name.Name(), at) == types.Object(name)
	}
	name := path.Base(pkg)
	if visible(pass, name, at) != nil {
		return "", nil, false
	}
	return name + ".", []analysis.TextEdit{imported(file, pkg)}, true
}

// imported adds an import: to the first list of them, which gofmt sorts, or
// behind what the file begins with.
func imported(file *ast.File, pkg string) analysis.TextEdit {
	at, text := file.Name.End(), "\n\nimport \""+pkg+"\""
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT {
			break
		}
		if decl.Lparen.IsValid() {
			at, text = decl.Lparen+1, "\n\t\""+pkg+"\""
			break
		}
		at, text = decl.End(), "\nimport \""+pkg+"\""
	}
	return analysis.TextEdit{Pos: at, End: at, NewText: []byte(text)}
}
