package memcheckact_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/memcheckact"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), memcheckact.Analyzer, "a/...", "b")
}

func TestFix(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), memcheckact.Analyzer, "fix", "shapes")
}
