package bound

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
)

// Program is Go source by the names of its files. Each is parsed once, when it is
// asked for.
type Program struct {
	text   map[string]string
	parsed map[string]*goFile
}

// NewProgram makes a program of files, by name.
func NewProgram(text map[string]string) *Program {
	return &Program{text: text, parsed: map[string]*goFile{}}
}

type goFile struct {
	name      string
	fset      *token.FileSet
	tree      *ast.File
	functions map[string][]*ast.FuncDecl
}

// Bound looks for what bounds the growth in the function around a line of a file: in
// its body, in those of the functions of the file that it calls or that start it as a
// goroutine, in the other methods of its type, and in the functions of the program
// that it calls. A bound that is idle is told only where there is no other. Read is
// false when there is no such function in the text.
func (p *Program) Bound(file string, line int) (s Sign, ok, read bool) {
	g := p.file(file)
	if g == nil {
		return Sign{}, false, false
	}
	f := g.at(line)
	if f == nil {
		return Sign{}, false, false
	}
	var found []bounding
	for _, f := range slices.Concat([]*ast.FuncDecl{f}, g.called(f), g.starters(f.Name.Name), g.siblings(f)) {
		found = append(found, g.bounds(f)...)
	}
	all := g.signs(append(found, g.emptied(f)...), f)
	s, ok = first(append(all, p.elsewhere(g, f)...))
	return s, ok, true
}

// file parses a file, as much of it as can be; nil for what is none of Go.
func (p *Program) file(name string) *goFile {
	if g, ok := p.parsed[name]; ok {
		return g
	}
	p.parsed[name] = nil
	text, ok := p.text[name]
	fset := token.NewFileSet()
	tree, _ := parser.ParseFile(fset, name, text, parser.SkipObjectResolution) // half a file is better than none
	if !ok || tree == nil {
		return nil
	}
	g := &goFile{name: name, fset: fset, tree: tree, functions: map[string][]*ast.FuncDecl{}}
	for _, d := range tree.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Body != nil {
			g.functions[f.Name.Name] = append(g.functions[f.Name.Name], f)
		}
	}
	p.parsed[name] = g
	return g
}

func (g *goFile) line(n ast.Node) int { return g.fset.Position(n.Pos()).Line }

// at is the function around a line, nil for none.
func (g *goFile) at(line int) (around *ast.FuncDecl) {
	for _, d := range g.tree.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Body != nil && g.line(f) <= line && line <= g.fset.Position(f.End()).Line {
			around = f
		}
	}
	return around
}

// signs tells the places, own is the function that was asked for.
func (g *goFile) signs(found []bounding, own *ast.FuncDecl) []Sign {
	var all []Sign
	for _, b := range found {
		all = append(all, Sign{
			File: g.name, Line: g.line(b.at), Limit: g.value(b.limit), Does: b.does, Size: b.limit != nil, Age: b.age, Lazy: b.lazy,
			Switch: g.guards(b.in, b.at, b.in == own, 0),
		})
	}
	return all
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
