package txretry_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/code/txretry"
	"github.com/ccheck/ccheck/analyzers/internal/stmttest"
)

func Test(t *testing.T) { stmttest.Run(t, txretry.Analyzer, "a") }
