package rowsaffected_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/code/rowsaffected"
	"github.com/ccheck/ccheck/analyzers/internal/stmttest"
)

func Test(t *testing.T) { stmttest.Run(t, rowsaffected.Analyzer, "a", "b") }
