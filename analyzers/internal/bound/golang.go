package bound

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
)

// Go looks for what bounds the growth in the function around a line of a Go file:
// in its body, in those of the functions of the file that it calls or that start it
// as a goroutine, and in the other methods of its type. A bound that a switch keeps
// from taking effect is told only where there is no other. Read is false when there
// is no such function in the text.
func Go(file, text string, line int) (s Sign, ok, read bool) {
	fset := token.NewFileSet()
	tree, _ := parser.ParseFile(fset, file, text, parser.SkipObjectResolution) // half a file is better than none
	if tree == nil {
		return Sign{}, false, false
	}
	g := &goFile{fset: fset, tree: tree, functions: map[string][]*ast.FuncDecl{}}
	var around *ast.FuncDecl
	for _, d := range tree.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Body != nil {
			g.functions[f.Name.Name] = append(g.functions[f.Name.Name], f)
			if fset.Position(f.Pos()).Line <= line && line <= fset.Position(f.End()).Line {
				around = f
			}
		}
	}
	if around == nil {
		return Sign{}, false, false
	}
	var found []bounding
	for _, f := range slices.Concat([]*ast.FuncDecl{around}, g.called(around), g.starters(around.Name.Name), g.siblings(around)) {
		for _, b := range g.bounds(f.Body) {
			b.in = f
			found = append(found, b)
		}
	}
	var all []Sign
	for _, b := range append(found, g.emptied(around)...) {
		all = append(all, Sign{
			File: file, Line: fset.Position(b.at.Pos()).Line, Limit: g.value(b.limit), Does: b.does, Size: b.limit != nil, Age: b.age,
			Switch: g.guards(b.in, b.at, b.in == around, 0),
		})
	}
	s, ok = first(all)
	return s, ok, true
}

type goFile struct {
	fset      *token.FileSet
	tree      *ast.File
	functions map[string][]*ast.FuncDecl
}

// called are the functions of the file that f calls by their name.
func (g *goFile) called(f *ast.FuncDecl) []*ast.FuncDecl {
	var out []*ast.FuncDecl
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			out = append(out, g.functions[callee(c)]...)
		}
		return true
	})
	return out
}

// starters are the functions of the file that start a goroutine with a function of
// that name.
func (g *goFile) starters(name string) []*ast.FuncDecl {
	var out []*ast.FuncDecl
	for _, all := range g.functions {
		for _, f := range all {
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if s, ok := n.(*ast.GoStmt); ok && callee(s.Call) == name {
					out = append(out, f)
				}
				return true
			})
		}
	}
	slices.SortFunc(out, func(a, b *ast.FuncDecl) int { return int(a.Pos() - b.Pos()) })
	return out
}

// siblings are the methods of the type that f is a method of.
func (g *goFile) siblings(f *ast.FuncDecl) []*ast.FuncDecl {
	of := receiver(f)
	if of == "" {
		return nil
	}
	var out []*ast.FuncDecl
	for _, d := range g.tree.Decls {
		if other, ok := d.(*ast.FuncDecl); ok && other.Body != nil && receiver(other) == of {
			out = append(out, other)
		}
	}
	return out
}

// receiver is the name of the type of a method, without type parameters.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	return types.ExprString(t)
}

func callee(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
