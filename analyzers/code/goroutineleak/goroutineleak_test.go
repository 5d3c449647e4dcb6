package goroutineleak_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/goroutineleak"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), goroutineleak.Analyzer, "channel", "endless")
}

// TestOld runs on a module whose go line is from before the collection of
// unused tickers.
func TestOld(t *testing.T) {
	analysistest.Run(t, filepath.Join(analysistest.TestData(), "src", "old"), goroutineleak.Analyzer, ".")
}
