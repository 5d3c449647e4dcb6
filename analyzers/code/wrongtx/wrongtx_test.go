package wrongtx_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/code/wrongtx"
	"github.com/ccheck/ccheck/analyzers/internal/stmttest"
)

func Test(t *testing.T) { stmttest.Run(t, wrongtx.Analyzer, "a", "retold") }

func TestFix(t *testing.T) { stmttest.RunWithSuggestedFixes(t, wrongtx.Analyzer, "fix", "shapes") }
