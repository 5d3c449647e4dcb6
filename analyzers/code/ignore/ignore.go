package ignore

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/directive"
)

// Analyzer reports directives that silence nothing.
var Analyzer = &analysis.Analyzer{
	Name: "ignore",
	Doc:  Doc,
	URL:  "https://github.com/ccheck/ccheck/blob/main/docs/analyzers/ignore.md",
	Run:  run,
}

func run(pass *analysis.Pass) (any, error) {
	for _, f := range pass.Files {
		for _, d := range directive.In(pass.Fset, f) {
			if wrong := d.Wrong(); wrong != "" {
				pass.Report(analysis.Diagnostic{
					Pos: d.Pos, Category: "ignore/low",
					Message: directive.Prefix + " " + wrong + ", so it silences nothing; write " + directive.Prefix + " RULE reason",
				})
			}
		}
	}
	return nil, nil
}
