package stalereplica_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/code/stalereplica"
	"github.com/ccheck/ccheck/analyzers/internal/stmttest"
)

func Test(t *testing.T) { stmttest.Run(t, stalereplica.Analyzer, "a") }
