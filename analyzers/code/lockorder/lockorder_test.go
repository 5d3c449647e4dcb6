package lockorder_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/lockorder"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), lockorder.Analyzer, "a/...")
}
