package sqlcheckact

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// edit puts the check into the WHERE of an UPDATE that is written out in the
// call, and refuses where no row was changed, as the check before it does. It
// does so where the answer of the call is dropped:
//
//	if _, err := db.Exec("UPDATE …"); err != nil {
//	_, err := db.Exec("UPDATE …")
func edit(pass *analysis.Pass, f flow.Found) []analysis.SuggestedFix {
	if f.Guard.SQL == "" {
		return nil
	}
	call, around := pair.CallAt(pass, f.At)
	if call == nil || len(around) < 3 {
		return nil
	}
	e := &editor{pass: pass, around: around, call: call}
	where := e.where(call, f.Guard.SQL)
	as, ok := around[0].(*ast.AssignStmt)
	if where == nil || !ok || !e.drops(as, call) {
		return nil
	}
	if e.refusal = e.refuse(f.Guard); e.refusal == "" {
		return nil
	}
	edits := e.look(as)
	if edits == nil {
		return nil
	}
	return []analysis.SuggestedFix{{Message: "check again in the UPDATE, and refuse when no row was changed", TextEdits: append(edits, *where)}}
}

// editor writes the edits of one call.
type editor struct {
	pass    *analysis.Pass
	around  []ast.Node // innermost first
	call    *ast.CallExpr
	refusal string // the return statement for no row
	tag     bool   // pgx: the number of rows comes without an error
	rows    string // a name for that number
}

var whereClause = regexp.MustCompile(`(?is)\bWHERE\b`)

// otherClause is what may stand behind the condition, and a comment, which would
// swallow what is put behind it.
var otherClause = regexp.MustCompile(`(?i)\b(OR|RETURNING|ORDER|LIMIT|FROM|UNION)\b|;|--|/\*`)

// where adds the condition to the literal.
func (e *editor) where(call *ast.CallExpr, guard string) *analysis.TextEdit {
	for _, arg := range call.Args {
		lit, ok := arg.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		if !whereClause.MatchString(lit.Value) || otherClause.MatchString(lit.Value) {
			return nil
		}
		if lit.Value[0] == '"' {
			guard = strings.ReplaceAll(guard, `"`, `\"`)
		}
		body := strings.TrimRight(lit.Value[:len(lit.Value)-1], " \t\n")
		at := lit.Pos() + token.Pos(len(body))
		return &analysis.TextEdit{Pos: at, End: at, NewText: []byte(" AND " + guard)}
	}
	return nil
}

// drops reports whether an assignment keeps the error of the call alone.
func (e *editor) drops(as *ast.AssignStmt, call *ast.CallExpr) bool {
	if len(as.Lhs) != 2 || len(as.Rhs) != 1 || as.Rhs[0] != call || !named(as.Lhs[0], "_") || !named(as.Lhs[1], "err") {
		return false
	}
	t, ok := e.pass.TypesInfo.TypeOf(call).(*types.Tuple)
	if !ok || t.Len() != 2 {
		return false
	}
	switch t.At(0).Type().String() {
	case "database/sql.Result":
		return true
	case "github.com/jackc/pgx/v5/pgconn.CommandTag":
		e.tag = true
		return true
	}
	return false
}

func named(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}

// look keeps the answer and asks it for the number of rows.
func (e *editor) look(as *ast.AssignStmt) []analysis.TextEdit {
	res := pair.Free(e.around, "res", "result", "updated")
	e.rows = pair.Free(e.around, "n", "rows", "changed", "affected")
	if res == "" || e.rows == "" {
		return nil
	}
	edits := []analysis.TextEdit{{Pos: as.Lhs[0].Pos(), End: as.Lhs[0].End(), NewText: []byte(res)}}
	if test, ok := e.around[1].(*ast.IfStmt); ok && test.Init == ast.Stmt(as) && as.Tok == token.DEFINE {
		return e.chain(edits, test, res)
	}
	block, ok := e.around[1].(*ast.BlockStmt)
	if !ok || as.Tok == token.ASSIGN && !e.own(as) {
		return nil
	}
	if as.Tok == token.ASSIGN {
		edits = append(edits, analysis.TextEdit{Pos: as.TokPos, End: as.TokPos + 1, NewText: []byte(":=")})
	}
	return e.follow(edits, block, as, res)
}

// own reports whether the error was declared in the block of the assignment, so
// that := assigns to it and declares no other one.
func (e *editor) own(as *ast.AssignStmt) bool {
	id, ok := as.Lhs[1].(*ast.Ident)
	return ok && e.pass.TypesInfo.ObjectOf(id).Parent() == e.pass.Pkg.Scope().Innermost(as.Pos())
}

// chain goes on with else, where the answer lives in the if statement.
func (e *editor) chain(edits []analysis.TextEdit, test *ast.IfStmt, res string) []analysis.TextEdit {
	if test.Else != nil || !failing(test) {
		return nil
	}
	text := " else if " + res + ".RowsAffected() == 0 {\n" + e.refusal + "\n}"
	if !e.tag {
		text = " else if " + e.counted(res, e.text(test.Body))
	}
	return append(edits, analysis.TextEdit{Pos: test.End(), End: test.End(), NewText: []byte(text)})
}

// counted asks for the number of rows, which can fail.
func (e *editor) counted(res, fail string) string {
	return e.rows + ", err := " + res + ".RowsAffected(); err != nil {\n" + fail + "\n} else if " + e.rows + " == 0 {\n" + e.refusal + "\n}"
}

// failing is if … err != nil { return … }.
func failing(test *ast.IfStmt) bool {
	cond, ok := test.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.NEQ || !named(cond.X, "err") || !named(cond.Y, "nil") || len(test.Body.List) != 1 {
		return false
	}
	ret, ok := test.Body.List[0].(*ast.ReturnStmt)
	return ok && len(ret.Results) > 0
}

// follow asks behind the test of the error, or in front of the return.
func (e *editor) follow(edits []analysis.TextEdit, block *ast.BlockStmt, as *ast.AssignStmt, res string) []analysis.TextEdit {
	next := following(block, as)
	at, fail := token.NoPos, ""
	switch next := next.(type) {
	case *ast.IfStmt:
		if next.Init != nil || next.Else != nil || !failing(next) {
			return nil
		}
		at, fail = next.End(), e.text(next.Body)
	case *ast.ReturnStmt:
		if n := len(next.Results); n == 0 || !named(next.Results[n-1], "err") {
			return nil
		}
		at, fail = as.End(), e.returning(next)
	default:
		return nil
	}
	text := ""
	if at == as.End() {
		text = "\nif err != nil {\n" + fail + "\n}"
	}
	if e.tag {
		text += "\nif " + res + ".RowsAffected() == 0 {\n" + e.refusal + "\n}"
	} else {
		text += "\nif " + e.counted(res, fail)
	}
	return append(edits, analysis.TextEdit{Pos: at, End: at, NewText: []byte(text)})
}

func following(b *ast.BlockStmt, s ast.Stmt) ast.Stmt {
	for i, x := range b.List {
		if x == s && i+1 < len(b.List) {
			return b.List[i+1]
		}
	}
	return nil
}

// refuse is what the code returns when the check fails, or when there was no row
// to choose.
func (e *editor) refuse(g flow.Guard) string {
	if g.Branch.File == "" {
		return e.noRow()
	}
	pos := g.Branch.In(e.pass.Fset)
	for _, n := range e.around {
		block, ok := n.(*ast.BlockStmt)
		if !ok {
			if _, isFunc := n.(*ast.FuncLit); isFunc {
				return ""
			}
			continue
		}
		for _, s := range block.List {
			test, ok := s.(*ast.IfStmt)
			if !ok || test.Init != nil || test.Else != nil || pos < test.Cond.Pos() || pos > test.Cond.End() || len(test.Body.List) != 1 {
				continue
			}
			ret, ok := test.Body.List[0].(*ast.ReturnStmt)
			if ok && len(ret.Results) > 0 && pair.Plain(test.Cond) && e.bare(test.Cond) && e.once(test) && e.sayable(ret) {
				return e.returning(ret)
			}
		}
	}
	return ""
}

// sayable reports whether what is returned means the same behind the call, where
// err is what the call and the count of rows have answered.
func (e *editor) sayable(ret *ast.ReturnStmt) bool {
	for _, r := range ret.Results {
		if !pair.Means(e.pass, r, e.call.Pos()) || mentions(r, "err") {
			return false
		}
	}
	return true
}

func mentions(x ast.Expr, name string) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// noRow is the library's own error for that, in a function that returns an error
// alone.
func (e *editor) noRow() string {
	for _, n := range e.around {
		fn, ok := n.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if r := fn.Type.Results; r == nil || len(r.List) != 1 || len(r.List[0].Names) > 1 || !named(r.List[0].Type, "error") {
			return ""
		}
		if prefix, edits, ok := pair.Qualifier(e.pass, "database/sql", e.call.Pos()); ok && len(edits) == 0 {
			return "return " + prefix + "ErrNoRows"
		}
	}
	return ""
}

func (e *editor) text(b *ast.BlockStmt) string {
	ret, ok := b.List[0].(*ast.ReturnStmt)
	if !ok {
		return ""
	}
	return e.returning(ret)
}

func (e *editor) returning(ret *ast.ReturnStmt) string {
	var all []string
	for _, r := range ret.Results {
		all = append(all, pair.Source(e.pass, r))
	}
	return "return " + strings.Join(all, ", ")
}
