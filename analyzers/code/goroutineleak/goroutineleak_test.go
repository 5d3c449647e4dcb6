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

// silent takes the expectations of a run that are judged by the test itself.
type silent struct{}

func (silent) Errorf(string, ...any) {}

// TestAcross has the send in one package and the receiver in another: the finding
// is at the send.
func TestAcross(t *testing.T) {
	results := analysistest.Run(silent{}, analysistest.TestData(), goroutineleak.Analyzer, "across/use")
	if len(results) != 1 || results[0].Err != nil || len(results[0].Diagnostics) != 1 {
		t.Fatalf("got %+v, want one finding", results)
	}
	at := results[0].Pass.Fset.Position(results[0].Diagnostics[0].Pos)
	if filepath.Base(at.Filename) != "gen.go" || at.Line != 18 {
		t.Errorf("the finding is at %s, want the send in gen.go, line 18", at)
	}
}
