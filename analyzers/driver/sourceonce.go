package driver

import (
	"path/filepath"

	"github.com/ccheck/ccheck/analyzers/report"
)

// tellOnce leaves the findings of one rule in one package that have one mend to the
// first of them, and the other places become steps of it. It takes findings in
// order; j.Once says what a finding is about.
func (j *session) tellOnce(all []report.Finding) []report.Finding {
	if j.Once == nil {
		return all
	}
	type group struct{ rule, folder, about string }
	first := map[group]int{}
	var kept []report.Finding
	for _, f := range all {
		about := j.Once(f.Rule, f.Message)
		if about == "" {
			kept = append(kept, f)
			continue
		}
		g := group{f.Rule, filepath.Dir(f.Where.File), about}
		if i, told := first[g]; told {
			kept[i].Steps = append(kept[i].Steps, report.Step{Text: f.Message, Where: f.Where})
			continue
		}
		first[g] = len(kept)
		kept = append(kept, f)
	}
	return kept
}
