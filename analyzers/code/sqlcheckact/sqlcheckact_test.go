package sqlcheckact_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/code/sqlcheckact"
	"github.com/ccheck/ccheck/analyzers/internal/stmttest"
)

func Test(t *testing.T) { stmttest.Run(t, sqlcheckact.Analyzer, "faulty", "guarded") }

// The check and the act meet in a service that knows its storage by an interface.
func TestLinked(t *testing.T) {
	stmttest.Linked(t, sqlcheckact.Pairing, "layers/repo", "layers/svc")
}
