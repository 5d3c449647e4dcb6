package sharedglobal_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/sharedglobal"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), sharedglobal.Analyzer, "a/...")
}

// silent takes the expectations of a run that are judged by the test itself.
type silent struct{}

func (silent) Errorf(string, ...any) {}

// TestCross has the handler in one package and the write in another: the
// finding is at the write.
func TestCross(t *testing.T) {
	results := analysistest.Run(silent{}, analysistest.TestData(), sharedglobal.Analyzer, "cross/web")
	if len(results) != 1 || results[0].Err != nil || len(results[0].Diagnostics) != 1 {
		t.Fatalf("got %+v, want one finding", results)
	}
	at := results[0].Pass.Fset.Position(results[0].Diagnostics[0].Pos)
	if filepath.Base(at.Filename) != "store.go" || at.Line != 5 {
		t.Errorf("the finding is at %s, want the write in store.go, line 5", at)
	}
}
