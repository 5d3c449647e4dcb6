package bound

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"time"
)

// removing are the names of functions that take something out.
var removing = regexp.MustCompile(`(?i)^(remove|evict|delete|pop|expire|flush|trim|prune|drop|purge|reset|clear|shrink|compact)`)

// bounding is a statement that bounds something, what it compares with, nil for a
// time, and what it does.
type bounding struct {
	at    ast.Node
	in    *ast.FuncDecl
	limit ast.Expr
	does  string
	age   time.Duration
}

// byAge is what a statement does that compares a time.
const byAge = "removes by age"

// bounds finds the statements that bound something.
func (g *goFile) bounds(body *ast.BlockStmt) []bounding {
	var all []bounding
	ast.Inspect(body, func(n ast.Node) bool {
		b := bounding{at: n}
		switch n := n.(type) {
		case *ast.IfStmt:
			b.limit, b.does = g.guard(n.Cond, n.Body, body)
			if b.does == byAge {
				b.age = g.age(n.Cond)
			}
		case *ast.ForStmt:
			if n.Post == nil && n.Init == nil && n.Cond != nil {
				b.limit, b.does = g.guard(n.Cond, n.Body, body)
			}
		case *ast.AssignStmt:
			if b.limit = wrapped(body, n); b.limit != nil {
				b.does = "writes round and round, over " + types.ExprString(b.limit)
			}
		case *ast.SelectStmt:
			if c := offered(n); c != "" {
				b.does = "sends to " + c + " only while it has room"
			}
		}
		if b.does != "" {
			all = append(all, b)
		}
		return true
	})
	return all
}

// guard tells what a condition with a body keeps from growing. Outer is the body
// of the function: a guard may end it before anything is added.
func (g *goFile) guard(cond ast.Expr, body, outer *ast.BlockStmt) (limit ast.Expr, does string) {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok && aging(cond) && takesOut(body) {
		return nil, byAge
	}
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
		return nil, byAge
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
func aging(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
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

// age is the longest time that a condition compares with, 0 where it cannot be read.
func (g *goFile) age(cond ast.Expr) time.Duration {
	longest := int64(0)
	ast.Inspect(cond, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			longest = max(longest, g.value(e))
		}
		return true
	})
	if longest < int64(time.Millisecond) {
		return 0 // no time
	}
	return time.Duration(longest)
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

// wrapped is n of x[i%n] = …, and of x[i] = … where i = (i+1) % n is beside it; nil
// where nothing wraps round.
func wrapped(body *ast.BlockStmt, a *ast.AssignStmt) ast.Expr {
	for _, l := range a.Lhs {
		x, ok := l.(*ast.IndexExpr)
		if !ok {
			continue
		}
		if n := modulus(x.Index); n != nil {
			return n
		}
		if n := around(body, types.ExprString(x.Index)); n != nil {
			return n
		}
	}
	return nil
}

// modulus is n of i%n.
func modulus(e ast.Expr) ast.Expr {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && b.Op == token.REM {
		return b.Y
	}
	return nil
}

// around is n of i = … % n in a body.
func around(body *ast.BlockStmt, i string) ast.Expr {
	var n ast.Expr
	ast.Inspect(body, func(x ast.Node) bool {
		if a, ok := x.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 && types.ExprString(a.Lhs[0]) == i {
			if m := modulus(a.Rhs[0]); m != nil {
				n = m
			}
		}
		return n == nil
	})
	return n
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

// array is the length of an array that a variable is declared as.
func (g *goFile) array(of ast.Expr) int64 {
	name, n := types.ExprString(of), int64(0)
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
