package bound

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Shape is what something is put into.
type Shape int

// The shapes. A Part is a piece of a larger array that goes with it.
const (
	Nothing Shape = iota
	Map
	Slice
	List
	Part
)

// Keeping is a place at which a function puts something where it outlives the
// function.
type Keeping struct {
	Shape Shape
	Into  string // as it is written, "s.sessions"
	File  string
	Line  int
}

// Keeps looks in the function around a line of a file for the first place at which it
// keeps something: in a map or a slice that is none of its own variables, in a list or
// in a sync.Map. Types are not known, so what looks like a map may be a slice. The
// Shape is Nothing where there is no such place.
func (p *Program) Keeps(file string, line int) Keeping {
	g := p.file(file)
	if g == nil {
		return Keeping{}
	}
	f := g.at(line)
	if f == nil {
		return Keeping{}
	}
	own := declaredIn(f)
	k := Keeping{}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if k.Shape != Nothing {
			return false
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			k = g.assigned(n, own)
		case *ast.CallExpr:
			k = stored(n)
		}
		if k.Shape != Nothing {
			k.File, k.Line = g.name, g.line(n)
		}
		return true
	})
	return k
}

// declaredIn are the names of the variables that a function declares, and of its
// parameters, but not of its receiver.
func declaredIn(f *ast.FuncDecl) map[string]bool {
	own := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); ok && n.Tok == token.DEFINE {
					own[id.Name] = true
				}
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				own[id.Name] = true
			}
		case *ast.FuncType:
			for _, field := range n.Params.List {
				for _, id := range field.Names {
					own[id.Name] = true
				}
			}
		}
		return true
	})
	return own
}

// assigned reads m[k] = v, s = append(s, v) and head = &node{next: head}.
func (g *goFile) assigned(a *ast.AssignStmt, own map[string]bool) Keeping {
	for i, l := range a.Lhs {
		if i >= len(a.Rhs) || a.Tok != token.ASSIGN {
			break
		}
		if x, ok := l.(*ast.IndexExpr); ok && outlives(x.X, own) && !g.isArray(x.X) {
			return Keeping{Shape: part(Map, a.Rhs[i]), Into: types.ExprString(x.X)}
		}
		c, ok := a.Rhs[i].(*ast.CallExpr)
		if ok && callee(c) == "append" && outlives(l, own) && len(c.Args) > 1 {
			return Keeping{Shape: part(Slice, c.Args[1:]...), Into: types.ExprString(l)}
		}
		if outlives(l, own) && links(a.Rhs[i], types.ExprString(l)) {
			return Keeping{Shape: List, Into: types.ExprString(l)}
		}
	}
	return Keeping{}
}

// links reports whether a value is a new node with what was before in one of its
// fields.
func links(value ast.Expr, before string) bool {
	found := false
	ast.Inspect(value, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			found = found || types.ExprString(e) == before
		}
		return true
	})
	return found
}

// stored reads m.Store(k, v) and l.PushBack(v).
func stored(c *ast.CallExpr) Keeping {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || len(c.Args) == 0 {
		return Keeping{}
	}
	switch s.Sel.Name {
	case "Store", "LoadOrStore", "Swap":
		if len(c.Args) == 2 { // an atomic has one
			return Keeping{Shape: part(Map, c.Args[1]), Into: types.ExprString(s.X)}
		}
	case "PushBack", "PushFront":
		return Keeping{Shape: part(List, c.Args...), Into: types.ExprString(s.X)}
	}
	return Keeping{}
}

// outlives reports whether an expression is a field, an entry, or a variable that is
// not of the function.
func outlives(e ast.Expr, own map[string]bool) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return !ok || !own[id.Name]
}

// isArray reports whether a variable or field is declared as a slice or an array in
// the file.
func (g *goFile) isArray(e ast.Expr) bool {
	name, found := lastName(e), false
	is := func(names []*ast.Ident, t ast.Expr) {
		for _, id := range names {
			_, array := t.(*ast.ArrayType)
			found = found || id.Name == name && array
		}
	}
	ast.Inspect(g.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			is(n.Names, n.Type)
		case *ast.Field:
			is(n.Names, n.Type)
		}
		return true
	})
	return found
}

// part is Part where one of the values, or a field of a literal among them, is x[a:b].
func part(shape Shape, values ...ast.Expr) Shape {
	for _, v := range values {
		ast.Inspect(v, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr, *ast.FuncLit:
				return false // what it returns may be a copy
			case *ast.SliceExpr:
				if n.Low != nil || n.High != nil {
					shape = Part
				}
			}
			return true
		})
	}
	return shape
}
