package driver

import (
	"cmp"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/directive"
	"github.com/ccheck/ccheck/analyzers/report"
)

// ignored is a directive, and whether it silenced anything.
type ignored struct {
	directive.Directive
	used bool
}

// IgnoreRule is the rule under which directives are reported that have nothing
// left to silence.
const IgnoreRule = "ignore"

// finding makes a finding of a diagnostic. The first line of a message says
// what is wrong, the others tell the story; the positions beside it are the
// steps that lead there. A category "rule/high" says how grave it is.
func (p *program) finding(a *analysis.Analyzer, d analysis.Diagnostic) report.Finding {
	f := p.session.story(a.Name, d.Message)
	f.Where = p.position(d.Pos, d.End)
	if _, grave, ok := strings.Cut(d.Category, "/"); ok && report.Severity(grave).Rank() > 0 {
		f.Severity = report.Severity(grave)
	}
	for _, r := range d.Related {
		f.Steps = append(f.Steps, report.Step{Text: r.Message, Where: p.position(r.Pos, r.End)})
	}
	if slices.Contains(p.unit.GoFiles, p.fset.PositionFor(d.Pos, false).Filename) { // and not what cgo made of it
		for _, fix := range d.SuggestedFixes {
			f.Fixes = append(f.Fixes, p.fix(fix))
		}
	}
	f.Help = a.URL
	return f
}

func (j *session) story(rule, message string) report.Finding {
	head, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return report.Finding{Rule: rule, Severity: j.severity(rule), Message: strings.TrimSpace(head), Why: strings.TrimRight(rest, " \n")}
}

func (j *session) severity(rule string) report.Severity {
	if j.Severity == nil {
		return report.Medium
	}
	return cmp.Or(j.Severity(rule), report.Medium)
}

// SuggestedEdit is the kind of a fix that an analyzer can write into the source.
const SuggestedEdit report.FixKind = "edit"

func (p *program) fix(s analysis.SuggestedFix) report.Fix {
	f := report.Fix{Kind: SuggestedEdit, Title: s.Message}
	for _, e := range s.TextEdits {
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		// Edits are about the file as it is, whatever //line says.
		from, to := p.fset.PositionFor(e.Pos, false), p.fset.PositionFor(end, false)
		f.Edits = append(f.Edits, report.Edit{
			Location: report.Location{File: from.Filename, Line: from.Line, Column: from.Column, EndLine: to.Line, EndColumn: to.Column},
			NewText:  string(e.NewText),
			Digest:   p.digest(e.Pos, from.Filename),
		})
	}
	return f
}

// digest is that of the file that was parsed, "" when it can be seen that
// somebody has written to it since.
func (p *program) digest(pos token.Pos, name string) string {
	text, err := os.ReadFile(name)
	if err != nil || len(text) != p.fset.File(pos).Size() {
		return ""
	}
	return Digest(text)
}

// tidySource drops what a directive silences and what was found twice, adds the
// directives that silence nothing, and puts the findings in order, the gravest
// first, what has one mend told once, with paths that are relative to the folder of the run.
func (j *session) tidySource(all []report.Finding, directives []ignored) []report.Finding {
	var kept []report.Finding
	for _, f := range all {
		if !silenced(f, directives) && !slices.ContainsFunc(kept, func(k report.Finding) bool { return samePlace(k, f) }) {
			kept = append(kept, f)
		}
	}
	kept = append(kept, j.idle(directives)...)
	slices.SortStableFunc(kept, func(a, b report.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity.Rank(), a.Severity.Rank()), cmp.Compare(a.Where.File, b.Where.File),
			cmp.Compare(a.Where.Line, b.Where.Line), cmp.Compare(a.Where.Column, b.Where.Column), cmp.Compare(a.Rule, b.Rule))
	})
	kept = j.tellOnce(kept)
	seen := map[string]int{}
	for i := range kept {
		f := &kept[i]
		j.relative(f)
		id := digest(f.Rule, f.Where.File, wordsOf(f.Message))
		f.Fingerprint = digest(id, strconv.Itoa(seen[id]))[:16]
		seen[id]++
	}
	return kept
}

func silenced(f report.Finding, directives []ignored) bool {
	hit := false
	for i := range directives {
		d := &directives[i]
		if d.File == f.Where.File && d.Covers(f.Rule, f.Where.Line) {
			d.used, hit = true, true
		}
	}
	return hit
}

func samePlace(a, b report.Finding) bool {
	return a.Rule == b.Rule && a.Where.File == b.Where.File && a.Where.Line == b.Where.Line && (a.Where.Column == b.Where.Column || a.Message == b.Message)
}

// idle are the directives that silence nothing, which somebody may believe in.
// Those that cannot silence anything have a rule of their own.
func (j *session) idle(directives []ignored) []report.Finding {
	var all []report.Finding
	for _, d := range directives {
		if d.used || d.Foreign || d.Wrong() != "" {
			continue
		}
		all = append(all, report.Finding{
			Rule: IgnoreRule, Severity: report.Low, Where: report.Location{File: d.File, Line: d.Line, Column: d.Column},
			Message: fmt.Sprintf("%s %s silences nothing: %s", directive.Prefix, strings.Join(d.Rules, ","), j.useless(d.Rules)),
		})
	}
	return all
}

// useless is why a directive silences nothing.
func (j *session) useless(rules []string) string {
	for _, r := range rules {
		if r != IgnoreRule && !slices.ContainsFunc(j.analyzers, func(a *analysis.Analyzer) bool { return a.Name == r }) {
			return "there is no rule " + r + "; `ccheck list analyzers` has the rules"
		}
	}
	return "there is no such finding here; remove it"
}

// relative shortens the paths of a finding that lie below the folder of the run.
func (j *session) relative(f *report.Finding) {
	j.shorten(&f.Where)
	for i := range f.Steps {
		j.shorten(&f.Steps[i].Where)
	}
	for i := range f.Fixes {
		for k := range f.Fixes[i].Edits {
			j.shorten(&f.Fixes[i].Edits[k].Location)
		}
	}
}

func (j *session) shorten(l *report.Location) {
	rel, err := filepath.Rel(j.Dir, l.File)
	if l.File != "" && err == nil && !strings.HasPrefix(rel, "..") {
		l.File = filepath.ToSlash(rel)
	}
}

// wordsOf is a message without what changes when lines move.
func wordsOf(message string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, message)
}
