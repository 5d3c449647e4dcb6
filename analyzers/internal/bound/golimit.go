package bound

import (
	"go/ast"
	"go/token"
	"go/types"
	"time"
)

// value is the number that an expression stands for, as far as the file says: one
// that is written there, that a name is given, or that a function is called with.
func (g *goFile) value(e ast.Expr) int64 {
	switch e := e.(type) {
	case *ast.BasicLit:
		return number(e.Value)
	case *ast.BinaryExpr:
		x, y := g.value(e.X), g.value(e.Y)
		switch {
		case e.Op != token.MUL:
		case types.ExprString(e.X) == "1":
			return y
		case x > 0 && y > 0 && x < 1<<56/y:
			return x * y
		}
	case *ast.Ident:
		return g.variable(e.Name)
	case *ast.SelectorExpr:
		if n := units[e.Sel.Name]; n > 0 {
			return int64(n)
		}
		return g.variable(e.Sel.Name)
	case *ast.CallExpr:
		if callee(e) == "len" && len(e.Args) == 1 {
			return g.array(e.Args[0])
		}
	}
	return 0
}

// units are those of package time.
var units = map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}

// variable is the largest number that a variable, constant or field is given, or a
// parameter of that name; 0 where it is given anything that cannot be read.
func (g *goFile) variable(name string) int64 {
	values, once := g.given(name)
	if !once {
		return 0
	}
	if len(values) == 0 {
		return g.argument(name)
	}
	most := int64(0)
	for _, v := range values {
		n := int64(0)
		switch v := v.(type) {
		case *ast.Ident:
			n = max(g.literal(v.Name), g.argument(v.Name))
		case *ast.BasicLit, *ast.BinaryExpr:
			n = g.written(v)
		}
		if n == 0 {
			return 0
		}
		most = max(most, n)
	}
	return most
}

// literal is the largest number that is written for a name.
func (g *goFile) literal(name string) int64 {
	values, once := g.given(name)
	most := int64(0)
	for _, v := range values {
		most = max(most, g.written(v))
	}
	if !once {
		return 0
	}
	return most
}

// written is the number of an expression without names.
func (g *goFile) written(e ast.Expr) int64 {
	names := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		names = names || ok && id.Name != "time" && units[id.Name] == 0
		return true
	})
	if names {
		return 0
	}
	return g.value(e)
}

// argument is the largest number that a parameter of that name is given in the file.
func (g *goFile) argument(param string) int64 {
	most := int64(0)
	for _, d := range g.tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Type.Params == nil {
			continue
		}
		i := 0
		for _, field := range f.Type.Params.List {
			for _, id := range field.Names {
				if id.Name == param {
					most = max(most, g.passed(f.Name.Name, i))
				}
				i++
			}
		}
	}
	return most
}

// passed is the largest number that a function is called with as its argument i.
func (g *goFile) passed(function string, i int) int64 {
	most := int64(0)
	ast.Inspect(g.tree, func(x ast.Node) bool {
		if c, ok := x.(*ast.CallExpr); ok && callee(c) == function && i < len(c.Args) {
			if lit, ok := c.Args[i].(*ast.BasicLit); ok {
				most = max(most, number(lit.Value))
			}
		}
		return true
	})
	return most
}
