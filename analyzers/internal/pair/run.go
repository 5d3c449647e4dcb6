package pair

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// Pair is a check and an act that belong together: indexes into a summary.
type Pair struct{ Check, Act int }

// Rule finds the pairs of one function, and tells their stories.
type Rule struct {
	Name  string
	Find  func(*flow.Summary) []Pair
	Story func(*flow.Summary, Pair) flow.Found
	// Guarded tells whether something makes two events one, when that is more than
	// a lock held over both: it is asked of the callers too.
	Guarded func(*flow.Summary, int, int) bool
	// Harmless, when there is one, looks at the code once more: does anything
	// happen that must not happen twice?
	Harmless func(*analysis.Pass, *flow.Summary, Pair) bool
	// Fix, when there is one, edits the act where that is safe.
	Fix func(*analysis.Pass, *flow.Summary, Pair) []analysis.SuggestedFix
}

// Pairing is the rule for the whole-program step, which sees no syntax.
func (r Rule) Pairing() flow.Pairing {
	return flow.Pairing{Name: r.Name, Local: true, Judge: func(s *flow.Summary) []flow.Found { return r.judge(nil, s, nil) }}
}

// Run judges the functions of one package.
func (r Rule) Run(pass *analysis.Pass) (any, error) {
	pkg := pass.ResultOf[flow.Analyzer].(*flow.Package)
	said := map[flow.Pos]bool{}
	for _, s := range pkg.Own {
		for _, f := range r.judge(pass, s, pkg.Own) {
			if !said[f.At] {
				said[f.At] = true
				f.Report(pass, r.Name)
			}
		}
	}
	return nil, nil
}

// judge finds one pair for each check, and each act once.
func (r Rule) judge(pass *analysis.Pass, s *flow.Summary, own []*flow.Summary) []flow.Found {
	if s.Folded || s.Generated {
		return nil
	}
	guarded := r.Guarded
	if guarded == nil {
		guarded = Locked
	}
	checks, acts := map[flow.Pos]bool{}, map[flow.Pos]bool{}
	var out []flow.Found
	for _, p := range r.Find(s) {
		check, act := Check(s, p.Check), Act(s, p.Act)
		if checks[check] || acts[act] || Alone(own, s, p.Check, p.Act, guarded) || pass != nil && r.Harmless != nil && r.Harmless(pass, s, p) {
			continue
		}
		checks[check], acts[act] = true, true
		f := r.Story(s, p)
		f.Related = append(f.Related, way(s, p.Act)...)
		if pass != nil && r.Fix != nil && len(s.Events[p.Act].Site) == 1 {
			f.Fixes = r.Fix(pass, s, p)
		}
		out = append(out, f)
	}
	return out
}

// way are the calls between the place that is reported and the act itself.
func way(s *flow.Summary, j int) []flow.Note {
	var out []flow.Note
	site := s.Events[j].Site
	for k := 1; k < len(site)-1; k++ {
		out = append(out, flow.Note{At: site[k], Text: "the way to it leads through here"})
	}
	return out
}
