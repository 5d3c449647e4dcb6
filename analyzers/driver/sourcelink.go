package driver

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/schema"
	"github.com/ccheck/ccheck/analyzers/internal/startup"
	"github.com/ccheck/ccheck/analyzers/report"
)

// link makes the judgements that gain from seeing all packages: what is called
// through an interface, in packages that do not import each other, or under the
// lock of a caller in another package. What the same rules said about single
// packages is replaced, since it was said with less knowledge, unless they know
// more of a package than its summaries tell. The result is kept as long as no
// package changes. A crash leaves what was found as it was.
func (j *session) link(found []report.Finding) (all []report.Finding, drafts []Scenario, why []string) {
	if len(j.Pairings) == 0 {
		return found, nil, nil
	}
	defer func() {
		if r := recover(); r != nil {
			all, drafts, why = found, nil, []string{fmt.Sprintf("judging all packages together crashed: %v", r)}
		}
	}()
	migrations := j.migrations()
	key := j.together(migrations)
	var kept said
	if j.store.get(key, &kept) {
		return kept.Findings, kept.Scenarios, nil
	}
	pkgs, calls, err := j.packages()
	if err != nil {
		return found, nil, []string{"judging all packages together: " + err.Error()}
	}
	linked := flow.Link(append(pkgs, &flow.Package{Schema: declared(migrations)}), j.Pairings)
	kept.Findings = j.afterStart(j.merged(found, j.linked(linked)), startup.New(calls))
	kept.Scenarios = j.scenarios(linked, migrations)
	j.store.put(key, kept)
	return kept.Findings, kept.Scenarios, nil
}

// together names all that link depends on.
func (j *session) together(migrations []string) string {
	parts := append([]string{"together", fmt.Sprint(j.Quiet)}, migrations...)
	for _, u := range j.units {
		parts = append(parts, u.ID, u.key, fmt.Sprint(u.root, u.broken()))
	}
	return digest(parts...)
}

// merged replaces or adds what was said about all packages.
func (j *session) merged(found, linked []report.Finding) (all []report.Finding) {
	for _, f := range found {
		if !slices.ContainsFunc(j.Pairings, func(p flow.Pairing) bool { return p.Name == f.Rule && !p.Local }) {
			all = append(all, f)
			continue
		}
		for i := range linked {
			switch {
			case !samePlace(linked[i], f):
			case linked[i].Message == f.Message:
				linked[i] = f
			default: // all packages know more, the one has the edits, which need the syntax
				linked[i].Fixes = f.Fixes
			}
		}
	}
	return append(all, linked...)
}

// afterStart drops what rules about goroutines say of code that runs once, when
// the program starts.
func (j *session) afterStart(all []report.Finding, p *startup.Program) []report.Finding {
	return slices.DeleteFunc(all, func(f report.Finding) bool {
		switch j.Quiet[f.Rule] {
		case BeforeOthers:
			return p.Before(f.Where.File, f.Where.Line)
		case OneGoroutine:
			return p.Single(f.Where.File, f.Where.Line)
		}
		return false
	})
}

// linked is what the judgements say about all packages together.
func (j *session) linked(found []flow.Linked) (all []report.Finding) {
	for _, l := range found {
		if j.reported(l.At.File) {
			all = append(all, j.told(l))
		}
	}
	return all
}

// summaries is what link needs of a package, without its syntax and types.
type summaries struct {
	Own    []*flow.Summary
	Sets   []flow.Methods
	Schema schema.Schema
	Models schema.Schema
	Calls  *startup.Package
}

func (j *session) packages() (pkgs []*flow.Package, calls []*startup.Package, err error) {
	pool := flow.NewPool()
	for _, u := range j.units {
		k, err := j.store.known(u)
		if err != nil {
			return nil, nil, fmt.Errorf("reading the summaries of %s: %w", u.PkgPath, err)
		}
		if len(k.Sum) == 0 {
			continue // it does not compile, or is of no interest
		}
		var s summaries
		if err := decode(k.Sum, &s); err != nil {
			return nil, nil, fmt.Errorf("reading the summaries of %s: %w", u.PkgPath, err)
		}
		intern(reflect.ValueOf(&s))
		for _, sum := range s.Own {
			pool.Share(sum)
		}
		pkgs = append(pkgs, &flow.Package{Path: u.PkgPath, Own: s.Own, Sets: s.Sets, Schema: s.Schema, Models: s.Models, Imports: u.imports()})
		if s.Calls != nil {
			calls = append(calls, s.Calls)
		}
	}
	return pkgs, calls, nil
}

// reported tells whether a file is of a package that was named, and was written
// by a person.
func (j *session) reported(file string) bool {
	return slices.ContainsFunc(j.units, func(u *unit) bool {
		return u.root && slices.Contains(u.GoFiles, file) && slices.Contains(u.CompiledGoFiles, file) && !slices.Contains(u.said.Generated, file)
	})
}

func (j *session) told(l flow.Linked) report.Finding {
	f := j.story(l.Rule, l.Message)
	f.Where = place(l.At)
	if report.Severity(l.Severity).Rank() > 0 {
		f.Severity = report.Severity(l.Severity)
	}
	for _, n := range l.Related {
		f.Steps = append(f.Steps, report.Step{Text: n.Text, Where: place(n.At)})
	}
	return f
}

func place(p flow.Pos) report.Location {
	return report.Location{File: p.File, Line: p.Line, Column: p.Col}
}
