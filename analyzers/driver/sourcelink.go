package driver

import (
	"fmt"
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/schema"
	"github.com/ccheck/ccheck/analyzers/report"
)

// link makes the judgements that gain from seeing all packages: what is called
// through an interface, in packages that do not import each other, or under the
// lock of a caller in another package. What the same rules said about single
// packages is replaced, since it was said with less knowledge, unless they know
// more of a package than its summaries tell. A crash leaves it as it was.
func (j *session) link(found []report.Finding) (all []report.Finding, why []string) {
	if len(j.Pairings) == 0 {
		return found, nil
	}
	defer func() {
		if r := recover(); r != nil {
			all, why = found, []string{fmt.Sprintf("judging all packages together crashed: %v", r)}
		}
	}()
	linked, err := j.linked()
	if err != nil {
		return found, []string{"judging all packages together: " + err.Error()}
	}
	for _, f := range found {
		if !slices.ContainsFunc(j.Pairings, func(p flow.Pairing) bool { return p.Name == f.Rule && !p.Local }) {
			all = append(all, f)
			continue
		}
		for i := range linked {
			if samePlace(linked[i], f) {
				linked[i] = f // it has the edits, which need the syntax
			}
		}
	}
	return append(all, linked...), nil
}

// linked is what the judgements say about all packages together. It is kept as
// long as none of these changes.
func (j *session) linked() ([]report.Finding, error) {
	parts := []string{"linked"}
	for _, u := range j.units {
		parts = append(parts, u.ID, u.key, fmt.Sprint(u.root, u.broken()))
	}
	migrations := j.migrations()
	key := digest(append(parts, migrations...)...)
	var all said
	if j.store.get(key, &all) {
		return all.Findings, nil
	}
	pkgs, err := j.packages()
	if err != nil {
		return nil, err
	}
	for _, l := range flow.Link(append(pkgs, &flow.Package{Schema: declared(migrations)}), j.Pairings) {
		if j.reported(l.At.File) {
			all.Findings = append(all.Findings, j.told(l))
		}
	}
	j.store.put(key, all)
	return all.Findings, nil
}

// summaries is what link needs of a package, without its syntax and types.
type summaries struct {
	Own    []*flow.Summary
	Sets   []flow.Methods
	Schema schema.Schema
}

func (j *session) packages() ([]*flow.Package, error) {
	var pkgs []*flow.Package
	for _, u := range j.units {
		k, err := j.store.known(u)
		if err != nil {
			return nil, fmt.Errorf("reading the summaries of %s: %w", u.PkgPath, err)
		}
		if len(k.Sum) == 0 {
			continue // it does not compile, or is of no interest
		}
		var s summaries
		if err := decode(k.Sum, &s); err != nil {
			return nil, fmt.Errorf("reading the summaries of %s: %w", u.PkgPath, err)
		}
		pkgs = append(pkgs, &flow.Package{Path: u.PkgPath, Own: s.Own, Sets: s.Sets, Schema: s.Schema})
	}
	return pkgs, nil
}

// reported tells whether a file is of a package that was named, and was written
// by a person.
func (j *session) reported(file string) bool {
	return slices.ContainsFunc(j.units, func(u *unit) bool {
		return u.root && slices.Contains(u.CompiledGoFiles, file) && !slices.Contains(u.said.Generated, file)
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
