package flow

import (
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/sketch"
)

// A Pairing is an analyzer's judgement as a pure function over summaries. The
// analyzer runs it over its own package, and Link runs it again once the
// interfaces are resolved.
type Pairing struct {
	Name  string // of the analyzer
	Judge func(*Summary) []Found
	// Local: the analyzer knows more about a function than its summary tells, so
	// that Link asks only about functions that gained something.
	Local bool
}

// Found is what a judgement found.
type Found struct {
	At       Pos
	Message  string
	Severity string // "low", "medium", "high"
	Related  []Note
	Fixes    []analysis.SuggestedFix // only where the package is at hand
	Sketch   *sketch.Sketch          // a scenario that can prove it, nil for none
	Guard    Guard                   // what the WHERE of the act lacks, where that is known
}

// Guard is a condition that makes an UPDATE atomic: SQL with the parameters that
// the statement has. Branch is where the code asks the same before; it has no
// file when no branch does.
type Guard struct {
	SQL    string
	Branch Pos
}

// Note is another place that belongs to the story.
type Note struct {
	At   Pos
	Text string
}

// Run is the run function of an analyzer that is nothing but a Pairing.
func Run(p Pairing) func(*analysis.Pass) (any, error) { return RunEditing(p, nil) }

// RunEditing is Run for an analyzer that can also write some of its fixes: edit
// gets each finding, with the syntax at hand, and may return none.
func RunEditing(p Pairing, edit func(*analysis.Pass, Found) []analysis.SuggestedFix) func(*analysis.Pass) (any, error) {
	return func(pass *analysis.Pass) (any, error) {
		pkg := pass.ResultOf[Analyzer].(*Package)
		for _, f := range pkg.view.judge(p) {
			if edit != nil {
				f.Fixes = edit(pass, f)
			}
			f.Report(pass, p.Name)
		}
		return nil, nil
	}
}

// Report hands the finding to the pass.
func (f Found) Report(pass *analysis.Pass, name string) {
	if f.Severity != "" {
		name += "/" + f.Severity
	}
	d := analysis.Diagnostic{Pos: f.At.exactly(pass.Fset), Category: name, Message: f.Message, SuggestedFixes: f.Fixes}
	for _, n := range f.Related {
		if pos := n.At.exactly(pass.Fset); pos.IsValid() {
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: pos, Message: n.Text})
		}
	}
	pass.Report(d)
}

// In finds the place in a file set; NoPos when its file is not part of it.
func (p Pos) In(fset *token.FileSet) token.Pos {
	var found token.Pos
	fset.Iterate(func(f *token.File) bool {
		if f.Name() != p.File || p.Line < 1 || p.Line > f.LineCount() {
			return true
		}
		found = f.LineStart(p.Line)
		// A file known from export data has lines and no columns.
		if at := found + token.Pos(max(p.Col-1, 0)); int(at) <= f.Base()+f.Size() && f.PositionFor(at, false).Line == p.Line {
			found = at
		}
		return false
	})
	return found
}

// exactly is In with the column, also in a file that is known from export data, or
// from a summary alone: such a place is the same whether or not this run has read
// the source.
func (p Pos) exactly(fset *token.FileSet) token.Pos {
	at := p.In(fset)
	if p.Col < 1 || p.Line < 1 || p.File == "" || at.IsValid() && fset.PositionFor(at, false).Column == p.Col {
		return at
	}
	f := fset.AddFile(p.File, -1, p.Line*p.Col)
	lines := make([]int, p.Line)
	for i := range lines {
		lines[i] = i * p.Col
	}
	f.SetLines(lines)
	return f.LineStart(p.Line) + token.Pos(p.Col-1)
}
