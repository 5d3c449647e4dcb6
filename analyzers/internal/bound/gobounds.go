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
	lazy  bool // it takes out only what is asked for
}

// byAge is what a statement does that compares a time.
const byAge = "removes by age"

// bounds finds the statements of a function that bound something.
func (g *goFile) bounds(f *ast.FuncDecl) []bounding {
	var all []bounding
	body := f.Body
	ast.Inspect(body, func(n ast.Node) bool {
		b := bounding{at: n, in: f}
		switch n := n.(type) {
		case *ast.IfStmt:
			b.limit, b.does = g.guard(n.Cond, n.Body, body)
			if b.does == byAge {
				b.age, b.lazy = g.age(n.Cond), !g.sweeps(f, n)
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
	if !ok && aging(cond) && g.takesOut(body, 1) {
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
	case aging(b) && g.takesOut(body, 1):
		return nil, byAge
	case what == "":
		return nil, ""
	case more && isSize(sized(b)) && g.takesOut(body, 1):
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
