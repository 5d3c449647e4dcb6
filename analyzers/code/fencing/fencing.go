package fencing

import (
	"path/filepath"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/lease"
)

// Pairing is the judgement, for the step that sees the whole program.
var Pairing = flow.Pairing{Name: "fencing", Local: true, Judge: func(s *flow.Summary) []flow.Found { return judge(s, lease.Of(beside(s))) }}

// Analyzer reports locks with a time to live that are trusted too far.
var Analyzer = &analysis.Analyzer{
	Name:     "fencing",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	pkg := pass.ResultOf[flow.Analyzer].(*flow.Package)
	claimed := lease.Of(pkg.Own)
	said := map[flow.Pos]bool{}
	for _, s := range pkg.Own {
		for _, f := range append(judge(s, claimed), tokens(pass, pkg, s)...) {
			if !said[f.At] {
				said[f.At] = true
				f.Report(pass, "fencing")
			}
		}
	}
	return nil, nil
}

// judge finds what is wrong in one function of a package that takes these locks.
func judge(s *flow.Summary, claimed *lease.Claims) []flow.Found {
	if s.Generated || s.Folded {
		return nil
	}
	var out []flow.Found
	for _, find := range []func(*flow.Summary, *lease.Claims) []flow.Found{releases, renewals, shared, owners, rows, protected, remembered, superseded} {
		out = append(out, find(s, claimed)...)
	}
	return out
}

// beside are the functions of a function's package.
func beside(s *flow.Summary) []*flow.Summary {
	var near []*flow.Summary
	for _, o := range s.Others() {
		if filepath.Dir(o.Pos.File) == filepath.Dir(s.Pos.File) {
			near = append(near, o)
		}
	}
	return near
}
