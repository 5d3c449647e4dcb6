package kvcheckact_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/kvcheckact"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), kvcheckact.Analyzer, "a", "a/cli", "built", "words")
}
