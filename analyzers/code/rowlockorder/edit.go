package rowlockorder

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

var forUpdate = regexp.MustCompile(`(?i)\bFOR\s+(NO\s+KEY\s+)?UPDATE\b`)

// between is what may stand between the place for ORDER BY and FOR UPDATE, and
// what hides another FOR UPDATE from a search for words: a comment, a string.
var between = regexp.MustCompile(`(?i)\b(LIMIT|OFFSET|FETCH|WITH|UNION)\b|--|/\*|'|"`)

// edit writes ORDER BY before FOR UPDATE in a statement that is written out in
// the call, when the list is one of keys: by any other column, rows that are
// equal in it would still come in any order.
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
		text := lit.Value[1 : len(lit.Value)-1]
		at, column := forUpdate.FindAllStringIndex(text, -1), listColumn(text)
		if len(at) != 1 || column == "" || orderBy.MatchString(text) || between.MatchString(text) {
			return nil
		}
		pos := lit.Pos() + 1 + token.Pos(at[0][0])
		return pair.Edit("lock the rows in one order", pos, pos, "ORDER BY "+column+" ")
	}
	return nil
}

// listColumn is the key that is compared with the list.
func listColumn(sql string) string {
	acc := sqlread.Read(sql)
	if len(acc.Tables) != 1 {
		return ""
	}
	t := acc.Tables[0]
	for _, p := range t.Preds {
		if p.Op == "in" && p.Func == "" && identifies(t.Name, p.Column) {
			return p.Column
		}
	}
	return ""
}

// identifies reports whether a column is one by which a row of the table is known.
func identifies(table, column string) bool {
	switch column {
	case "id", "uuid", "ulid", "guid":
		return true
	}
	name, ok := strings.CutSuffix(column, "_id")
	return ok && (table == name || table == name+"s" || table == name+"es")
}
