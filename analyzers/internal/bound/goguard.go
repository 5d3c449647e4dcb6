package bound

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// guards finds what must hold for a node of a function to run, as far as it is a
// switch and no size: the conditions around it, and, for a function other than that
// of the allocation, those around all its calls in the file.
func (g *goFile) guards(f *ast.FuncDecl, n ast.Node, own bool, depth int) Switch {
	all := g.around(f.Body, n)
	if !own && depth < deepest {
		if s := g.uses(f, depth); s.Cond != "" {
			all = append(all, s)
		}
	}
	return strongest(all)
}

// around are the switches around a node in a body, its own condition among them.
func (g *goFile) around(body *ast.BlockStmt, n ast.Node) []Switch {
	var out []Switch
	within := func(x ast.Node) bool { return x.Pos() <= n.Pos() && n.End() <= x.End() }
	ast.Inspect(body, func(x ast.Node) bool {
		if x == nil || !within(x) {
			if s, ok := x.(*ast.IfStmt); ok && s.End() <= n.Pos() && leaves(s.Body) && within(g.block(body, s)) {
				out = append(out, g.terms(s.Cond, true)...)
			}
			return false
		}
		if s, ok := x.(*ast.IfStmt); ok && (x == n || within(s.Body)) {
			out = append(out, g.terms(s.Cond, false)...)
		}
		return true
	})
	return out
}

// block is the innermost block of a body that a statement is in.
func (g *goFile) block(body *ast.BlockStmt, s ast.Stmt) ast.Node {
	var in ast.Node = body
	ast.Inspect(body, func(x ast.Node) bool {
		if b, ok := x.(*ast.BlockStmt); ok && b.Pos() <= s.Pos() && s.End() <= b.End() {
			in = b
		}
		return true
	})
	return in
}

// uses is the switch that all calls of a function in the file have; none where it
// is used as a value.
func (g *goFile) uses(f *ast.FuncDecl, depth int) Switch {
	var all []Switch
	for _, d := range g.tree.Decls {
		in, ok := d.(*ast.FuncDecl)
		if !ok || in.Body == nil {
			continue
		}
		ast.Inspect(in.Body, func(x ast.Node) bool {
			id, ok := x.(*ast.Ident)
			if ok && id.Name == f.Name.Name && in != f {
				all = append(all, g.guards(in, id, in.Name.Name == f.Name.Name, depth+1))
			}
			return true
		})
	}
	s := either(all)
	if s.Idle() {
		s.Through = f.Name.Name
	}
	return s
}

// terms are the switches among the parts of a condition that all must hold; or must
// not, where the body of the if ends the function.
func (g *goFile) terms(cond ast.Expr, not bool) []Switch {
	all, apart := token.LAND, token.LOR
	if not {
		all, apart = apart, all
	}
	switch e := ast.Unparen(cond).(type) {
	case *ast.BinaryExpr:
		if e.Op == all {
			return append(g.terms(e.X, not), g.terms(e.Y, not)...)
		}
		if e.Op == apart {
			return nil // one of two is enough
		}
	}
	s := g.term(cond, true)
	if s.Cond == "" {
		return nil
	}
	if not {
		s = s.turned()
	}
	return []Switch{s}
}

// turned is the switch that is on where s is off.
func (s Switch) turned() Switch {
	s.Not = !s.Not
	switch {
	case s.Env+s.Flag != "" && s.State == Open:
		s.State = Unset
	case s.Env+s.Flag != "":
		s.State = Open
	case s.State == Off:
		s.State = Open
	case s.Name == "": // a literal
		s.State = Off
	}
	return s
}

// term reads one condition. Look says to look a name up where it is declared.
func (g *goFile) term(e ast.Expr, look bool) Switch {
	s := Switch{Cond: types.ExprString(e)}
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			if s = g.term(e.X, look); s.Cond != "" {
				s = s.turned()
				s.Cond = "!" + s.Cond
			}
			return s
		}
	case *ast.BinaryExpr:
		return g.compared(s, e)
	case *ast.StarExpr:
		if look {
			return g.named(s, e.X)
		}
	case *ast.CallExpr:
		if name, initial := flagOf(e); name != "" {
			s.Flag, s.State = name, initial
			return s
		}
	case *ast.Ident:
		switch {
		case e.Name == "false":
			s.State = Off
			return s
		case e.Name == "true":
			return s
		case look:
			return g.named(s, e)
		}
	case *ast.SelectorExpr:
		if look {
			return g.named(s, e)
		}
	}
	return Switch{}
}

// compared reads os.Getenv("X") != "" and os.Getenv("X") == "1".
func (g *goFile) compared(s Switch, e *ast.BinaryExpr) Switch {
	call, ok := e.X.(*ast.CallExpr)
	lit, isLit := e.Y.(*ast.BasicLit)
	if !ok || !isLit || types.ExprString(call.Fun) != "os.Getenv" || len(call.Args) != 1 || e.Op != token.EQL && e.Op != token.NEQ {
		return Switch{}
	}
	if s.Env = text(call.Args[0]); s.Env == "" {
		return Switch{}
	}
	if (e.Op == token.EQL) == (text(lit) == "") {
		s.Not = true
		return s // on where nothing is set
	}
	s.State = Unset
	return s
}

func text(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	value, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return value
}

// flagOf reads flag.Bool("name", false, …).
func flagOf(c *ast.CallExpr) (name string, initial State) {
	if types.ExprString(c.Fun) != "flag.Bool" || len(c.Args) < 2 {
		return "", Open
	}
	if types.ExprString(c.Args[1]) == "false" {
		initial = Unset
	}
	return text(c.Args[0]), initial
}

// named reads a switch that asks a name. Only one that is given its value once says
// anything.
func (g *goFile) named(s Switch, e ast.Expr) Switch {
	name := types.ExprString(e)
	if sel, ok := e.(*ast.SelectorExpr); ok {
		name = sel.Sel.Name
	}
	values, once := g.given(name)
	if !once || len(values) != 1 {
		return Switch{}
	}
	value := g.term(values[0], false)
	if value.Cond == "" {
		return Switch{}
	}
	s.Name, s.State, s.Env, s.Flag, s.Not = name, value.State, value.Env, value.Flag, value.Not
	return s
}

// given are the values that a variable, constant or field is given in the file.
// Once is false where it may change later.
func (g *goFile) given(name string) (values []ast.Expr, once bool) {
	once = true
	is := func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.Ident:
			return e.Name == name
		case *ast.SelectorExpr:
			return e.Sel.Name == name
		}
		return false
	}
	ast.Inspect(g.tree, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.ValueSpec:
			for i, id := range x.Names {
				if id.Name == name && i < len(x.Values) {
					values = append(values, x.Values[i])
				}
			}
		case *ast.KeyValueExpr:
			if is(x.Key) {
				values = append(values, x.Value)
			}
		case *ast.AssignStmt:
			for i, l := range x.Lhs {
				switch {
				case is(l) && i < len(x.Rhs) && x.Tok == token.DEFINE:
					values = append(values, x.Rhs[i])
				case is(l):
					once = false
				}
			}
		case *ast.UnaryExpr:
			once = once && (x.Op != token.AND || !is(x.X))
		}
		return true
	})
	return values, once
}
