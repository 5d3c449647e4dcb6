// Package analyzers lists the judges: one line each, and nothing else.
package analyzers

import (
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/sqlrowserr"
	"golang.org/x/tools/go/analysis/passes/waitgroup"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/code/fencing"
	"github.com/ccheck/ccheck/analyzers/code/filecheckact"
	"github.com/ccheck/ccheck/analyzers/code/goroutineleak"
	"github.com/ccheck/ccheck/analyzers/code/growth"
	"github.com/ccheck/ccheck/analyzers/code/ignore"
	"github.com/ccheck/ccheck/analyzers/code/kvcheckact"
	"github.com/ccheck/ccheck/analyzers/code/lockorder"
	"github.com/ccheck/ccheck/analyzers/code/memcheckact"
	"github.com/ccheck/ccheck/analyzers/code/rowlockorder"
	"github.com/ccheck/ccheck/analyzers/code/rowsaffected"
	"github.com/ccheck/ccheck/analyzers/code/sessionlock"
	"github.com/ccheck/ccheck/analyzers/code/sharedglobal"
	"github.com/ccheck/ccheck/analyzers/code/sqlcheckact"
	"github.com/ccheck/ccheck/analyzers/code/stalereplica"
	"github.com/ccheck/ccheck/analyzers/code/txretry"
	"github.com/ccheck/ccheck/analyzers/code/unclosed"
	"github.com/ccheck/ccheck/analyzers/code/wallclock"
	"github.com/ccheck/ccheck/analyzers/code/wrongtx"
	"github.com/ccheck/ccheck/analyzers/history/bleed"
	"github.com/ccheck/ccheck/analyzers/history/contention"
	"github.com/ccheck/ccheck/analyzers/history/deadlock"
	"github.com/ccheck/ccheck/analyzers/history/delivery"
	"github.com/ccheck/ccheck/analyzers/history/failure"
	"github.com/ccheck/ccheck/analyzers/history/fenced"
	"github.com/ccheck/ccheck/analyzers/history/heapgrowth"
	"github.com/ccheck/ccheck/analyzers/history/invariant"
	"github.com/ccheck/ccheck/analyzers/history/ledger"
	"github.com/ccheck/ccheck/analyzers/history/once"
	"github.com/ccheck/ccheck/analyzers/history/pooldeadlock"
	"github.com/ccheck/ccheck/analyzers/history/retry"
	"github.com/ccheck/ccheck/analyzers/history/serial"
	"github.com/ccheck/ccheck/analyzers/history/session"
	"github.com/ccheck/ccheck/analyzers/history/skew"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/report"
)

// Code are the judges of Go source: ours, then those of others.
var Code = []*analysis.Analyzer{
	sqlcheckact.Analyzer,
	rowsaffected.Analyzer,
	wrongtx.Analyzer,
	rowlockorder.Analyzer,
	txretry.Analyzer,
	sessionlock.Analyzer,
	stalereplica.Analyzer,
	memcheckact.Analyzer,
	filecheckact.Analyzer,
	kvcheckact.Analyzer,
	sharedglobal.Analyzer,
	lockorder.Analyzer,
	goroutineleak.Analyzer,
	growth.Analyzer,
	fencing.Analyzer,
	wallclock.Analyzer,
	unclosed.Analyzer,
	ignore.Analyzer,

	sqlrowserr.Analyzer,
	atomic.Analyzer,
	copylock.Analyzer,
	lostcancel.Analyzer,
	waitgroup.Analyzer,
}

// History are the judges of recorded histories, in the order of their findings
// among equals.
var History = []*check.Checker{
	invariant.Checker,
	ledger.Checker,
	retry.Checker,
	failure.Checker,
	contention.Checker,
	serial.Checker,
	pooldeadlock.Checker,
	fenced.Checker,
	deadlock.Checker,
	delivery.Checker,
	once.Checker,
	session.Checker,
	skew.Checker,
	bleed.Checker,
}

// Series are the judges of what is no history of operations but a row of
// snapshots. They are here by name: what they take is their own package's affair,
// and Run is nil.
var Series = []*check.Checker{
	{Name: heapgrowth.Name, Doc: heapgrowth.Doc},
}

// Explored are those of them that judge the history of an exploration: it is
// complete where that of a load is a sample, so it needs no proof of contention.
var Explored = []*check.Checker{
	serial.Checker,
	pooldeadlock.Checker,
	retry.Checker,
	failure.Checker,
}

// Leased are those of them that judge the history of leases, which has calls and
// no transactions.
var Leased = []*check.Checker{
	fenced.Checker,
}

// Lagging are those of them that judge what sessions read from replicas.
var Lagging = []*check.Checker{
	session.Checker,
}

// Bleeding are those of them that judge what marked users were answered.
var Bleeding = []*check.Checker{
	bleed.Checker,
}

// Circling are those of them that judge who waits for whom.
var Circling = []*check.Checker{
	deadlock.Checker,
	failure.Checker,
}

// Retried are those of them that judge what became of a call that was to be made
// again.
var Retried = []*check.Checker{
	once.Checker,
}

// Delivered are those of them that judge what became of jobs.
var Delivered = []*check.Checker{
	delivery.Checker,
}

// Clocked are those of them that judge readings of clocks.
var Clocked = []*check.Checker{
	skew.Checker,
}

// Crowded are those of them that judge many requests at once, of which no
// serial order was run.
var Crowded = []*check.Checker{
	pooldeadlock.Checker,
}

// Pairings are the judgements of Code that are made once more over all packages
// together, when it is known which type stands behind an interface.
var Pairings = []flow.Pairing{
	sqlcheckact.Pairing,
	rowsaffected.Pairing,
	wrongtx.Pairing,
	rowlockorder.Pairing,
	txretry.Pairing,
	sessionlock.Pairing,
	stalereplica.Pairing,
	memcheckact.Pairing,
	sharedglobal.Pairing,
	filecheckact.Pairing,
	kvcheckact.Pairing,
	fencing.Pairing,
}

// Startup are the rules of Code about goroutines that race with each other: code
// that runs before there are any is not their matter.
var Startup = []string{memcheckact.Analyzer.Name, sharedglobal.Analyzer.Name}

// Lifetime are the rules of Code about goroutines that pile up: one that the
// program starts once is not their matter.
var Lifetime = []string{goroutineleak.Analyzer.Name}

// Once says what a finding is about, for rules of which all findings about one thing
// in a package have one mend: a type that is copied with its lock, in copylocks, and
// a table whose rows are saved whole. It is "" for any other finding.
func Once(rule, message string) string {
	switch rule {
	case copylock.Analyzer.Name:
		if at := strings.LastIndex(message, ": "); at >= 0 {
			kind, _, _ := strings.Cut(message[at+2:], " contains ")
			return kind
		}
	case sqlcheckact.Analyzer.Name:
		return sqlcheckact.SavedWhole(message)
	}
	return ""
}

// Severity is how grave a finding of a rule is where the rule itself does not
// say.
func Severity(rule string) report.Severity {
	switch rule {
	case "sqlrowserr":
		return report.Low
	}
	return report.Medium
}
