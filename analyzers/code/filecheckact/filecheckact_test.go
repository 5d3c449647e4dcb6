package filecheckact_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/filecheckact"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), filecheckact.Analyzer, "a")
}

func TestFix(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), filecheckact.Analyzer, "fix", "shapes")
}
