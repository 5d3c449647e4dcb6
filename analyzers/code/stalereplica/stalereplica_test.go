package stalereplica_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/code/stalereplica"
	"github.com/ccheck/ccheck/analyzers/internal/stmttest"
)

func Test(t *testing.T) { stmttest.Run(t, stalereplica.Analyzer, "a", "opened") }

// What an interface hides, only the step over the whole module can tell.
func TestLinked(t *testing.T) { stmttest.Linked(t, stalereplica.Pairing, "b", "b/router", "c") }
