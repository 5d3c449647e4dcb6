package driver

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/schema"
	"github.com/ccheck/ccheck/analyzers/internal/sketch"
	"github.com/ccheck/ccheck/analyzers/report"
)

// Scenario is a race that was found, as a folder for explore and stress.
type Scenario struct {
	Name  string
	Rule  string
	Where report.Location // of the finding
	Files []ScenarioFile  // the manifest first
}

// ScenarioFile is one file of the folder; Name has slashes.
type ScenarioFile struct{ Name, Text string }

// scenarios writes the drafts of what was found about all packages, with the
// types of columns that the migrations declare.
func (j *session) scenarios(linked []flow.Linked, migrations []string) (all []Scenario) {
	types := schema.Columns{}
	for _, text := range migrations {
		types.Read(up(text))
	}
	for _, l := range linked {
		if l.Sketch == nil || !j.reported(l.At.File) {
			continue
		}
		s := Scenario{Name: l.Sketch.Name, Rule: l.Rule, Where: place(l.At)}
		for _, f := range l.Sketch.Files(sketch.Types(types)) {
			s.Files = append(s.Files, ScenarioFile(f))
		}
		all = append(all, s)
	}
	return all
}

// Scenario is the one that belongs to a finding.
func (r SourceResult) Scenario(f report.Finding) (Scenario, bool) {
	i := slices.IndexFunc(r.Scenarios, func(s Scenario) bool {
		return s.Rule == f.Rule && s.Where.File == f.Where.File && s.Where.Line == f.Where.Line && s.Where.Column == f.Where.Column
	})
	if i < 0 {
		return Scenario{}, false
	}
	return r.Scenarios[i], true
}
