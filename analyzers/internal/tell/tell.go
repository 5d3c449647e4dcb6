// Package tell is how the analyzers speak: one finding per place, at the act,
// with the other end of the race beside it, and nothing about files that a
// machine wrote.
//
// It decides nothing about what is a bug. It imports x/tools and package directive only.
package tell

import (
	"go/token"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/directive"
)

// Teller reports the findings of one pass.
type Teller struct {
	pass      *analysis.Pass
	generated map[string]bool
	said      map[string]bool
}

// New makes a teller for a pass.
func New(pass *analysis.Pass) *Teller {
	t := &Teller{pass: pass, generated: map[string]bool{}, said: map[string]bool{}}
	for _, f := range pass.Files {
		if directive.Generated(f) {
			t.generated[pass.Fset.Position(f.FileStart).Filename] = true
		}
	}
	return t
}

// Place is another end of a finding.
type Place struct {
	Pos  token.Pos
	Text string
}

// Story puts the sentences of a message together, one line each.
func Story(lines ...string) string { return strings.Join(lines, "\n") }

// Found reports a finding once per line. The edits are applied only when
// somebody asks for them, so they must leave a program that compiles.
func (t *Teller) Found(at token.Pos, message string, fixes []analysis.SuggestedFix, others ...Place) {
	p := t.pass.Fset.Position(at)
	if !at.IsValid() || t.generated[p.Filename] || strings.HasSuffix(p.Filename, ".pb.go") {
		return
	}
	key := p.Filename + ":" + strconv.Itoa(p.Line)
	if t.said[key] {
		return
	}
	t.said[key] = true
	d := analysis.Diagnostic{Pos: at, Category: t.pass.Analyzer.Name, Message: message, SuggestedFixes: fixes}
	for _, o := range others {
		if o.Pos.IsValid() {
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: o.Pos, Message: o.Text})
		}
	}
	t.pass.Report(d)
}
