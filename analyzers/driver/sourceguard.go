package driver

import (
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/directive"
)

// Guarded returns the analyzers as another driver should run them: without what
// a directive silences, what is in generated files, and what is in test files
// unless tests says so. It is asked when the analyzers run.
func Guarded(all []*analysis.Analyzer, tests func() bool) []*analysis.Analyzer {
	guarded := make([]*analysis.Analyzer, len(all))
	for i, a := range all {
		clone := *a
		clone.Run = func(pass *analysis.Pass) (any, error) {
			g := &guard{pass: pass, tests: tests()}
			inner := *pass
			inner.Report = g.report
			return a.Run(&inner)
		}
		guarded[i] = &clone
	}
	return guarded
}

// guard stands before the report of one pass.
type guard struct {
	pass       *analysis.Pass
	tests      bool
	read       bool
	generated  map[string]bool
	directives []directive.Directive
}

func (g *guard) report(d analysis.Diagnostic) {
	g.files()
	at := g.pass.Fset.Position(d.Pos)
	if g.generated[at.Filename] || !g.tests && strings.HasSuffix(at.Filename, "_test.go") {
		return
	}
	for _, dir := range g.directives {
		if dir.File == at.Filename && dir.Covers(g.pass.Analyzer.Name, at.Line) {
			return
		}
	}
	if g.pass.Fset.PositionFor(d.Pos, false).Filename != at.Filename {
		d.SuggestedFixes = nil // of a file that another was made from, by cgo or yacc
	}
	g.pass.Report(d)
}

// files looks at the files once, when there is something to report at all.
func (g *guard) files() {
	if g.read {
		return
	}
	g.read, g.generated = true, map[string]bool{}
	for _, f := range g.pass.Files {
		g.generated[g.pass.Fset.Position(f.FileStart).Filename] = directive.Generated(f)
		g.directives = append(g.directives, directive.In(g.pass.Fset, f)...)
	}
}
