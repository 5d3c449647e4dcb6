package sqlcheckact_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/code/sqlcheckact"
	"github.com/ccheck/ccheck/analyzers/internal/stmttest"
)

func Test(t *testing.T) { stmttest.Run(t, sqlcheckact.Analyzer, "faulty", "guarded") }
