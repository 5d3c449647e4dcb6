package bound

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
)

// removing are the names of functions that take something out.
var removing = regexp.MustCompile(`(?i)^(remove|evict|delete|pop|expire|flush|trim|prune|drop|purge|reset|clear|shrink|compact)`)

// Go looks for what bounds the growth in the function around a line of a Go file:
// in its body, in those of the functions of the file that it calls or that start it
// as a goroutine, and in the other methods of its type. Read is false when there is no such function in the
// text.
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
	for _, f := range slices.Concat([]*ast.FuncDecl{around}, g.called(around), g.starters(around.Name.Name), g.siblings(around)) {
		if n, limit, does := g.bound(f.Body); n != nil {
			return Sign{file, fset.Position(n.Pos()).Line, g.value(limit), does, limit != nil}, true, true
		}
	}
	return Sign{}, false, true
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

// bound finds the first statement that bounds something, what it compares with,
// and what it does.
func (g *goFile) bound(body *ast.BlockStmt) (at ast.Node, limit ast.Expr, does string) {
	ast.Inspect(body, func(n ast.Node) bool {
		if at != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.IfStmt:
			if limit, does = g.guard(n.Cond, n.Body, body); does != "" {
				at = n
			}
		case *ast.ForStmt:
			if n.Post == nil && n.Init == nil {
				if limit, does = g.guard(n.Cond, n.Body, body); does != "" {
					at = n
				}
			}
		case *ast.AssignStmt:
			if limit = wrapped(n); limit != nil {
				at, does = n, "writes round and round, over "+types.ExprString(limit)
			}
		case *ast.SelectStmt:
			if c := offered(n); c != "" {
				at, does = n, "sends to "+c+" only while it has room"
			}
		}
		return true
	})
	return at, limit, does
}

// guard tells what a condition with a body keeps from growing. Outer is the body
// of the function: a guard may end it before anything is added.
func (g *goFile) guard(cond ast.Expr, body, outer *ast.BlockStmt) (limit ast.Expr, does string) {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok {
		return nil, ""
	}
	if b.Op == token.LAND || b.Op == token.LOR {
		if limit, does = g.guard(b.X, body, outer); does == "" {
			limit, does = g.guard(b.Y, body, outer)
		}
		return limit, does
	}
	what, limit, more := sizeOf(b)
	switch {
	case aging(b) && takesOut(body):
		return nil, "removes by age"
	case what == "":
		return nil, ""
	case more && isSize(sized(b)) && takesOut(body):
		return limit, fmt.Sprintf("removes when %s is more than %s", what, types.ExprString(limit))
	case more && leaves(body) && addsTo(outer, what):
		return limit, fmt.Sprintf("adds nothing when %s is more than %s", what, types.ExprString(limit))
	case !more && addsTo(body, what):
		return limit, fmt.Sprintf("adds only while %s is less than %s", what, types.ExprString(limit))
	}
	return nil, ""
}

// sizeOf reads len(x) > y, x.Len() >= y and n < y. More is the direction.
func sizeOf(b *ast.BinaryExpr) (what string, limit ast.Expr, more bool) {
	x, y := b.X, b.Y
	op := b.Op
	if isSize(y) && !isSize(x) {
		x, y = y, x
		op = map[token.Token]token.Token{token.LSS: token.GTR, token.LEQ: token.GEQ, token.GTR: token.LSS, token.GEQ: token.LEQ}[op]
	}
	if lit, ok := y.(*ast.BasicLit); ok && number(lit.Value) == 0 {
		return "", nil, false // len(x) > 0 bounds nothing
	}
	switch op {
	case token.GTR, token.GEQ, token.EQL:
		return types.ExprString(x), y, true
	case token.LSS, token.LEQ:
		return types.ExprString(x), y, false
	}
	return "", nil, false
}

// sized is the side of a comparison that is a size, or the left one.
func sized(b *ast.BinaryExpr) ast.Expr {
	if isSize(b.Y) {
		return b.Y
	}
	return b.X
}

// isSize reports whether an expression is how many there are of something.
func isSize(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		return callee(e) == "len" || callee(e) == "Len" || callee(e) == "Size"
	case *ast.Ident:
		return counter.MatchString(e.Name)
	case *ast.SelectorExpr:
		return counter.MatchString(e.Sel.Name)
	}
	return false
}

var counter = regexp.MustCompile(`(?i)^(n|size|count|length|used|total|num\w*|\w*(size|count|len))$`)

// aging reports whether a condition asks for the time.
func aging(b *ast.BinaryExpr) bool {
	found := false
	ast.Inspect(b, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			switch callee(c) {
			case "Since", "Sub", "Now", "Before", "After", "UnixNano", "Unix":
				found = true
			}
		}
		return true
	})
	return found
}

// takesOut reports whether a body removes something.
func takesOut(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || removing.MatchString(callee(n))
		case *ast.AssignStmt:
			for i, r := range n.Rhs {
				if n.Tok != token.ASSIGN || i >= len(n.Lhs) {
					continue
				}
				switch r := r.(type) {
				case *ast.SliceExpr:
					found = found || types.ExprString(r.X) == types.ExprString(n.Lhs[i])
				case *ast.Ident:
					found = found || r.Name == "nil"
				case *ast.CallExpr:
					found = found || callee(r) == "make"
				case *ast.CompositeLit:
					found = found || len(r.Elts) == 0
				}
			}
		}
		return true
	})
	return found
}

// leaves reports whether a body does nothing but end the function or the round.
func leaves(body *ast.BlockStmt) bool {
	if len(body.List) == 0 {
		return false
	}
	switch s := body.List[len(body.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE || s.Tok == token.BREAK
	}
	return false
}

// addsTo reports whether a body adds to what an expression is the size of: len(x)
// or a counter.
func addsTo(body *ast.BlockStmt, size string) bool {
	found := false
	of := func(e ast.Expr) bool {
		text := types.ExprString(e)
		return size == text || size == "len("+text+")" || size == text+".Len()"
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IncDecStmt:
			found = found || n.Tok == token.INC && of(n.X)
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "PushBack" || s.Sel.Name == "PushFront" || s.Sel.Name == "Add") {
				found = found || of(s.X)
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if x, ok := l.(*ast.IndexExpr); ok {
					found = found || of(x.X)
				}
				if i < len(n.Rhs) {
					c, ok := n.Rhs[i].(*ast.CallExpr)
					found = found || ok && callee(c) == "append" && of(l)
				}
			}
		}
		return true
	})
	return found
}

// wrapped is n of x[i%n] = …, nil where nothing wraps round.
func wrapped(a *ast.AssignStmt) ast.Expr {
	for _, l := range a.Lhs {
		x, ok := l.(*ast.IndexExpr)
		if !ok {
			continue
		}
		if b, ok := x.Index.(*ast.BinaryExpr); ok && b.Op == token.REM {
			return b.Y
		}
	}
	return nil
}

// offered is the channel of select { case c <- x: default: }, "" for none.
func offered(s *ast.SelectStmt) string {
	channel, otherwise := "", false
	for _, c := range s.Body.List {
		clause, ok := c.(*ast.CommClause)
		if !ok {
			continue
		}
		if clause.Comm == nil {
			otherwise = true
		}
		if send, ok := clause.Comm.(*ast.SendStmt); ok {
			channel = types.ExprString(send.Chan)
		}
	}
	if !otherwise {
		return ""
	}
	return channel
}

// value is the number that an expression stands for, as far as the file says.
func (g *goFile) value(e ast.Expr) int64 {
	switch e := e.(type) {
	case *ast.BasicLit:
		return number(e.Value)
	case *ast.Ident:
		return g.constant(e.Name)
	case *ast.CallExpr:
		if callee(e) == "len" && len(e.Args) == 1 {
			return g.array(types.ExprString(e.Args[0]))
		}
	}
	return 0
}

// constant is the number that a name is declared with.
func (g *goFile) constant(name string) int64 {
	n := int64(0)
	ast.Inspect(g.tree, func(x ast.Node) bool {
		spec, ok := x.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, id := range spec.Names {
			if id.Name == name && i < len(spec.Values) {
				if lit, ok := spec.Values[i].(*ast.BasicLit); ok {
					n = number(lit.Value)
				}
			}
		}
		return true
	})
	return n
}

// array is the length of an array that a variable is declared as.
func (g *goFile) array(name string) int64 {
	n := int64(0)
	ast.Inspect(g.tree, func(x ast.Node) bool {
		spec, ok := x.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || spec.Names[0].Name != name {
			return true
		}
		if t, ok := spec.Type.(*ast.ArrayType); ok && t.Len != nil {
			n = g.value(t.Len)
		}
		return true
	})
	return n
}
