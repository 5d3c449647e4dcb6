package filecheckact

import (
	"go/ast"
	"go/token"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// edit writes the fixes that change one call and nothing around it: O_EXCL
// where the function refuses a file that is there, MkdirAll where it is content
// with a directory that is there.
func edit(pass *analysis.Pass, s *flow.Summary, p pair.Pair) []analysis.SuggestedFix {
	act := &s.Events[p.Act]
	call, around := pair.CallAt(pass, pair.Act(s, p.Act))
	branch := asks(pass, s, p, around)
	if call == nil || branch == nil {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	pkg := pair.Source(pass, sel.X)
	refuses := slices.ContainsFunc(act.Conds, func(c flow.Cond) bool { return c.Event == p.Check && c.Refused && existence(c) })
	switch {
	case act.Call == "os.Mkdir" && !refuses && content(branch, around):
		return pair.Edit("Use MkdirAll, which accepts a directory that is there", sel.Sel.Pos(), sel.Sel.End(), "MkdirAll")
	case act.Call == "os.Create" && refuses && len(call.Args) == 1:
		flags := ", " + pkg + ".O_RDWR|" + pkg + ".O_CREATE|" + pkg + ".O_EXCL, 0o666"
		return []analysis.SuggestedFix{{Message: "Create with O_EXCL, which fails when the file is there", TextEdits: []analysis.TextEdit{
			{Pos: sel.Sel.Pos(), End: sel.Sel.End(), NewText: []byte("OpenFile")},
			{Pos: call.Args[0].End(), End: call.Args[0].End(), NewText: []byte(flags)},
		}}}
	case act.Op == libs.FileOpen && refuses && len(call.Args) == 3 && openFlags(act.Val.Desc)&os.O_CREATE != 0:
		return pair.Edit("Open with O_EXCL, which fails when the file is there", call.Args[1].End(), call.Args[1].End(), "|"+pkg+".O_EXCL")
	}
	return nil
}

// existence tells whether a branch asks whether the path is there, and nothing
// else about it.
func existence(c flow.Cond) bool {
	return absent(c) || c.Test == flow.Decides && (strings.HasSuffix(c.Path, ".absent") || strings.HasSuffix(c.Path, ".err"))
}

// asks is the if statement that asks for the answer of the check and nothing
// else: one that has the act in it, or stands before it.
func asks(pass *analysis.Pass, s *flow.Summary, p pair.Pair, around []ast.Node) *ast.IfStmt {
	var found *ast.IfStmt
	for _, c := range s.Events[p.Act].Conds {
		if c.Event != p.Check {
			continue
		}
		branch := branchAt(around, c.Pos.In(pass.Fset))
		if branch == nil || !pair.Plain(branch.Cond) || found != nil && found != branch {
			return nil
		}
		found = branch
	}
	return found
}

func branchAt(around []ast.Node, pos token.Pos) *ast.IfStmt {
	for _, n := range around {
		switch n := n.(type) {
		case *ast.IfStmt:
			if n.Cond.Pos() <= pos && pos <= n.Cond.End() {
				return n
			}
		case *ast.BlockStmt:
			for _, s := range n.List {
				if test, ok := s.(*ast.IfStmt); ok && test.Cond.Pos() <= pos && pos <= test.Cond.End() {
					return test
				}
			}
		case *ast.FuncLit, *ast.FuncDecl:
			return nil
		}
	}
	return nil
}

// content tells whether the function goes on in one way, whoever made the
// directory: nothing but the Mkdir is done because it was not there.
func content(branch *ast.IfStmt, around []ast.Node) bool {
	last, isReturn := around[0].(*ast.ReturnStmt)
	if !slices.Contains(around, ast.Node(branch)) { // if there { return nil }; return os.Mkdir(…)
		return isReturn && len(last.Results) == 1 && returnsNil(branch.Body)
	}
	if !slices.Contains(around, ast.Node(branch.Body)) {
		return false
	}
	switch list := branch.Body.List; len(list) {
	case 1:
		test, ok := list[0].(*ast.IfStmt)
		return list[0] == around[0] && (!isReturn || len(last.Results) == 1) || ok && test.Init == around[0] && failing(test)
	case 2:
		test, ok := list[1].(*ast.IfStmt)
		return list[0] == around[0] && ok && test.Init == nil && failing(test)
	}
	return false
}

func returnsNil(b *ast.BlockStmt) bool {
	if len(b.List) != 1 {
		return false
	}
	ret, ok := b.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	id, ok := ret.Results[0].(*ast.Ident)
	return ok && id.Name == "nil"
}

// failing is if … != nil.
func failing(test *ast.IfStmt) bool {
	cond, ok := test.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.NEQ || test.Else != nil {
		return false
	}
	id, ok := cond.Y.(*ast.Ident)
	return ok && id.Name == "nil"
}
