package filecheckact

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// edit writes the fixes that change one call and nothing around it: O_EXCL
// for a file that must be new, MkdirAll for a directory.
func edit(pass *analysis.Pass, s *flow.Summary, p pair.Pair) []analysis.SuggestedFix {
	act := &s.Events[p.Act]
	call, _ := pair.CallAt(pass, pair.Act(s, p.Act))
	if call == nil {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	pkg := pair.Source(pass, sel.X)
	switch {
	case act.Call == "os.Mkdir":
		return pair.Edit("Use MkdirAll, which accepts a directory that is there", sel.Sel.Pos(), sel.Sel.End(), "MkdirAll")
	case act.Call == "os.Create" && len(call.Args) == 1:
		return pair.Edit("Create with O_EXCL, which fails when the file is there", call.Pos(), call.End(),
			pkg+".OpenFile("+pair.Source(pass, call.Args[0])+", "+pkg+".O_RDWR|"+pkg+".O_CREATE|"+pkg+".O_EXCL, 0o666)")
	case act.Op == libs.FileOpen && len(call.Args) == 3:
		return pair.Edit("Open with O_EXCL, which fails when the file is there", call.Args[1].End(), call.Args[1].End(), "|"+pkg+".O_EXCL")
	}
	return nil
}
