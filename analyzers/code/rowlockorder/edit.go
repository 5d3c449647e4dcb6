package rowlockorder

import (
	"go/ast"
	"go/token"
	"regexp"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

var forUpdate = regexp.MustCompile(`(?i)\bFOR\s+(NO\s+KEY\s+)?UPDATE\b`)

// edit writes ORDER BY before FOR UPDATE in a statement that is written out in
// the call.
func edit(pass *analysis.Pass, f flow.Found) []analysis.SuggestedFix {
	call, _ := pair.CallAt(pass, f.At)
	if call == nil {
		return nil
	}
	for _, arg := range call.Args {
		lit, ok := arg.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		at := forUpdate.FindStringIndex(lit.Value)
		column := listColumn(lit.Value[1 : len(lit.Value)-1])
		if at == nil || column == "" || orderBy.MatchString(lit.Value) {
			return nil
		}
		pos := lit.Pos() + token.Pos(at[0])
		return pair.Edit("lock the rows in one order", pos, pos, "ORDER BY "+column+" ")
	}
	return nil
}

// listColumn is the column that is compared with the list.
func listColumn(sql string) string {
	acc := sqlread.Read(sql)
	if len(acc.Tables) != 1 {
		return ""
	}
	for _, p := range acc.Tables[0].Preds {
		if p.Op == "in" && p.Func == "" {
			return p.Column
		}
	}
	return ""
}
