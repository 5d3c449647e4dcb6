package wallclock_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/wallclock"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), wallclock.Analyzer,
		"elapsed", "claims", "window", "newest", "identity", "parser", "facts/...", "cursor", "renewal", "liveness",
		"deadline", "stored", "own/...", "filename", "foreign", "servers")
}
