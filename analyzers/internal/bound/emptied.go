package bound

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"time"
)

// containers are the variables and fields that a function puts something into, by
// their last name.
func containers(f *ast.FuncDecl) []string {
	var out []string
	add := func(e ast.Expr) {
		if name := lastName(e); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, l := range a.Lhs {
			if x, ok := l.(*ast.IndexExpr); ok {
				add(x.X)
			}
			if i < len(a.Rhs) {
				if c, ok := a.Rhs[i].(*ast.CallExpr); ok && callee(c) == "append" {
					add(l)
				}
			}
		}
		return true
	})
	return out
}

func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// emptied finds what takes out of the containers of a function elsewhere in the
// file: what is too old, or everything from time to time.
func (g *goFile) emptied(f *ast.FuncDecl) []bounding {
	names := containers(f)
	if len(names) == 0 {
		return nil
	}
	var all []bounding
	for _, d := range g.tree.Decls {
		other, ok := d.(*ast.FuncDecl)
		if !ok || other.Body == nil || other == f {
			continue
		}
		for _, b := range g.bounds(other) {
			if b.does == byAge && !b.lazy && mentions(b.at, names) {
				all = append(all, b)
			}
		}
		if at, name := empties(other, names); at != nil {
			if age, timed := g.timed(other); timed {
				all = append(all, bounding{at: at, does: "empties " + name + " from time to time", age: age, in: other})
			}
		}
	}
	return all
}

func mentions(n ast.Node, names []string) bool {
	found := false
	ast.Inspect(n, func(x ast.Node) bool {
		e, ok := x.(ast.Expr)
		found = found || ok && slices.Contains(names, lastName(e))
		return !found
	})
	return found
}

// takesOut reports whether a body removes something, or calls functions of the file
// that do, so many of them one in the other.
func (g *goFile) takesOut(body *ast.BlockStmt, calls int) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || removing.MatchString(callee(n)) || calls > 0 && slices.ContainsFunc(g.functions[callee(n)], func(f *ast.FuncDecl) bool {
				return g.takesOut(f.Body, calls-1)
			})
		case *ast.AssignStmt:
			for i, r := range n.Rhs {
				found = found || n.Tok == token.ASSIGN && i < len(n.Lhs) && shrinks(n.Lhs[i], r)
			}
		}
		return !found
	})
	return found
}

// shrinks reports whether an assignment leaves less in what it assigns to.
func shrinks(to, value ast.Expr) bool {
	if r, ok := value.(*ast.SliceExpr); ok {
		return types.ExprString(r.X) == types.ExprString(to)
	}
	return isEmpty(value)
}

// empties is where a function lets go of all that is in one of some containers; not
// one that makes them.
func empties(f *ast.FuncDecl, names []string) (at ast.Node, name string) {
	if f.Name.Name == "init" || f.Name.Name == "main" || strings.HasPrefix(strings.ToLower(f.Name.Name), "new") {
		return nil, ""
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if callee(n) == "clear" && len(n.Args) == 1 && slices.Contains(names, lastName(n.Args[0])) {
				at, name = n, lastName(n.Args[0])
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if n.Tok == token.ASSIGN && i < len(n.Rhs) && slices.Contains(names, lastName(l)) && isEmpty(n.Rhs[i]) {
					at, name = n, lastName(l)
				}
			}
		}
		return at == nil
	})
	return at, name
}

// isEmpty reports whether an expression is nil, a new map or slice, or x[:0].
func isEmpty(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "nil"
	case *ast.CallExpr:
		return callee(e) == "make"
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.SliceExpr:
		return e.High != nil && types.ExprString(e.High) == "0"
	}
	return false
}

// timed reports whether a function runs from time to time: it or one that names it
// waits for a time. Age is that time, where it is written there.
func (g *goFile) timed(f *ast.FuncDecl) (age time.Duration, is bool) {
	all := []*ast.FuncDecl{f}
	for _, others := range g.functions {
		for _, other := range others {
			if other != f && mentions(other.Body, []string{f.Name.Name}) {
				all = append(all, other)
			}
		}
	}
	for _, one := range all {
		ast.Inspect(one.Body, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && waits[types.ExprString(c.Fun)] {
				is = true
				if len(c.Args) > 0 {
					age = max(age, time.Duration(g.value(c.Args[0])))
				}
			}
			return true
		})
	}
	return age, is
}

var waits = map[string]bool{"time.Tick": true, "time.NewTicker": true, "time.AfterFunc": true, "time.After": true, "time.Sleep": true, "time.NewTimer": true}

// sweeps reports whether a node of a function is run for every entry, or from time to
// time, and not only for an entry that somebody asks for: there is a loop around it,
// or around a call of the function in the file.
func (g *goFile) sweeps(f *ast.FuncDecl, n ast.Node) bool {
	if _, timed := g.timed(f); timed || loops(f.Body, n) {
		return true
	}
	for _, others := range g.functions {
		for _, other := range others {
			called := false
			ast.Inspect(other.Body, func(x ast.Node) bool {
				c, ok := x.(*ast.CallExpr)
				called = called || ok && other != f && callee(c) == f.Name.Name && loops(other.Body, c)
				return !called
			})
			if called {
				return true
			}
		}
	}
	return false
}

// loops reports whether a node of a body is in a loop, or in a function that is called
// for every entry.
func loops(body *ast.BlockStmt, n ast.Node) bool {
	found := false
	ast.Inspect(body, func(x ast.Node) bool {
		if x == nil || n.Pos() < x.Pos() || x.End() < n.End() {
			return false
		}
		switch x := x.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			found = true
		case *ast.CallExpr:
			found = found || each.MatchString(callee(x))
		}
		return true
	})
	return found
}

// each are the names of functions that call another one for every entry, or later.
var each = regexp.MustCompile(`^(?:Range|DeleteFunc|AfterFunc|ForEach|Each|Walk|Scan)`)
