package unclosed_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/unclosed"
)

func Test(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), unclosed.Analyzer, "a", "b", "shapes", "web")
}

func TestEnded(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), unclosed.Analyzer, "ended")
}
