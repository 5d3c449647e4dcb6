package txretry_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/code/txretry"
	"github.com/ccheck/ccheck/analyzers/internal/stmttest"
)

// An exported function may be retried by another package, so that only the step
// over the whole module can tell.
func TestLinked(t *testing.T) {
	stmttest.Linked(t, txretry.Pairing, "a", "c", "d", "d/levels")
}

func Test(t *testing.T) {
	stmttest.Run(t, txretry.Analyzer, "b", "prefix", "deaf", "deaf/locked", "deaf/mysql", "deaf/listed")
}

func TestFix(t *testing.T) {
	stmttest.RunWithSuggestedFixes(t, txretry.Analyzer, "fix", "shapes", "newer")
}
