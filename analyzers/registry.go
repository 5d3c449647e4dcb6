// Package analyzers lists the judges: one line each, and nothing else.
package analyzers

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/history/contention"
	"github.com/ccheck/ccheck/analyzers/history/failure"
	"github.com/ccheck/ccheck/analyzers/history/invariant"
	"github.com/ccheck/ccheck/analyzers/history/ledger"
	"github.com/ccheck/ccheck/analyzers/history/retry"
)

// Code are the judges of Go source.
var Code []*analysis.Analyzer

// History are the judges of recorded histories, in the order of their findings
// among equals.
var History = []*check.Checker{
	invariant.Checker,
	ledger.Checker,
	retry.Checker,
	failure.Checker,
	contention.Checker,
}
