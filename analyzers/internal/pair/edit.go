package pair

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// CallAt is the call whose opening parenthesis is at p, with the nodes around
// it, innermost first; nil when the place is not in a file of the pass.
func CallAt(pass *analysis.Pass, p flow.Pos) (*ast.CallExpr, []ast.Node) {
	pos := p.In(pass.Fset)
	for _, f := range pass.Files {
		if !pos.IsValid() || pos < f.FileStart || pos >= f.FileEnd {
			continue
		}
		path, _ := astutil.PathEnclosingInterval(f, pos, pos+1)
		for i, n := range path {
			if c, ok := n.(*ast.CallExpr); ok && c.Lparen == pos {
				return c, path[i+1:]
			}
		}
	}
	return nil, nil
}

// Edit is a fix of one replacement.
func Edit(message string, from, to token.Pos, text string) []analysis.SuggestedFix {
	return []analysis.SuggestedFix{{Message: message, TextEdits: []analysis.TextEdit{{Pos: from, End: to, NewText: []byte(text)}}}}
}

// Source is an expression as Go writes it.
func Source(pass *analysis.Pass, e ast.Expr) string {
	var b bytes.Buffer
	if err := format.Node(&b, pass.Fset, e); err != nil {
		return ""
	}
	return b.String()
}
