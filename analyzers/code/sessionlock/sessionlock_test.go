package sessionlock_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/code/sessionlock"
	"github.com/ccheck/ccheck/analyzers/internal/stmttest"
)

func Test(t *testing.T) {
	stmttest.Run(t, sessionlock.Analyzer, "a", "b", "c", "d", "unlock", "release", "handle")
}
