package sharedglobal_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/sharedglobal"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

var collect = &analysis.Analyzer{
	Name:       "collect",
	Doc:        "collect: the summaries of a package",
	Requires:   []*analysis.Analyzer{flow.Analyzer},
	ResultType: reflect.TypeFor[*flow.Package](),
	Run:        func(pass *analysis.Pass) (any, error) { return pass.ResultOf[flow.Analyzer], nil },
}

// TestWhole has the handler and what it changes in two packages that do not import
// each other: of two that stand behind the interface, the one without a lock is found.
func TestWhole(t *testing.T) {
	var pkgs []*flow.Package
	for _, r := range analysistest.Run(t, analysistest.TestData(), collect, "whole/store", "whole/web") {
		pkgs = append(pkgs, r.Result.(*flow.Package))
	}
	found := flow.Link(pkgs, []flow.Pairing{sharedglobal.Pairing})
	if len(found) != 1 || filepath.Base(found[0].At.File) != "store.go" || found[0].At.Line != 10 {
		t.Errorf("found %+v, want one at store.go:10", found)
	}
}
