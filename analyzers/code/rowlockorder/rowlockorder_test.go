package rowlockorder_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/code/rowlockorder"
	"github.com/ccheck/ccheck/analyzers/internal/stmttest"
)

func Test(t *testing.T) { stmttest.Run(t, rowlockorder.Analyzer, "a", "circle") }

func TestFix(t *testing.T) { stmttest.RunWithSuggestedFixes(t, rowlockorder.Analyzer, "fix", "shapes") }
