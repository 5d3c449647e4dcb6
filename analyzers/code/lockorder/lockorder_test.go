package lockorder_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/lockorder"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), lockorder.Analyzer, "a/...")
}

// silent takes the expectations of a run that are judged by the test itself.
type silent struct{}

func (silent) Errorf(string, ...any) {}

// TestJoin has two packages that know nothing of each other, and one that hands
// each to the other: the finding is where the call is made under the lock.
func TestJoin(t *testing.T) {
	results := analysistest.Run(silent{}, analysistest.TestData(), lockorder.Analyzer, "join")
	if len(results) != 1 || results[0].Err != nil || len(results[0].Diagnostics) != 1 {
		t.Fatalf("got %+v, want one finding", results)
	}
	at := results[0].Pass.Fset.Position(results[0].Diagnostics[0].Pos)
	if filepath.Base(at.Filename) != "chain.go" || at.Line != 19 {
		t.Errorf("the finding is at %s, want the call of OnSwitch in chain.go, line 19", at)
	}
}
