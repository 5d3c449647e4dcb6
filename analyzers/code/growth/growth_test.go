package growth_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/growth"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), growth.Analyzer, "a")
}
