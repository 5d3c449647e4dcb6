package sharedglobal_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/sharedglobal"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), sharedglobal.Analyzer, "a/...")
}
