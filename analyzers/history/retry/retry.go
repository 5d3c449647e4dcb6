package retry

import (
	"fmt"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/failed"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/mend"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker reports retries that are missing.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const (
	name          = "retry"
	serialization = "40001"
	deadlock      = "40P01"
)

func run(pass *check.Pass) error {
	groups, schema, err := failed.Collect(pass.Header, pass.Ops(), func(sqlstate string) bool {
		return sqlstate == serialization || sqlstate == deadlock
	})
	if err != nil {
		return err
	}
	for _, g := range groups {
		pass.Report(finding(pass.Header, schema, g))
	}
	return nil
}

func finding(h *history.Header, schema *lanes.Schema, g *failed.Group) report.Finding {
	f := report.Finding{
		Rule: name, Severity: report.Medium, Anomaly: anomaly(g), Count: g.Count, First: g.First, Last: g.Last,
		Message: fmt.Sprintf("%s of %s ended with %s, and %s: the transaction was rolled back and its work dropped", g.Calls(), g.Who(), words(g.SQLState), why(h, g)),
		Repro:   report.Repro{Seed: h.Seed}, Help: "docs/analyzers/retry.md",
	}
	g.Tell(&f, schema)
	f.Why = reason(g)
	f.Fixes = fixes(schema, g)
	return f
}

func words(sqlstate string) string {
	if sqlstate == deadlock {
		return "40P01 (deadlock)"
	}
	return "40001 (serialization failure)"
}

func anomaly(g *failed.Group) string {
	if g.SQLState == deadlock {
		return "deadlock (40P01) that reached the caller"
	}
	return "serialization failure (40001) that reached the caller"
}

func why(h *history.Header, g *failed.Group) string {
	if g.Retried(h) {
		return fmt.Sprintf("gave up after %d tries", max(g.Tries, 1))
	}
	return "nobody started over"
}

func reason(g *failed.Group) string {
	switch {
	case g.Other == nil:
		return "The other party was not found in the record."
	case g.SQLState == deadlock:
		return "Each lane held a lock that the other one waited for; the server ended the wait by rolling one of them back."
	case g.Txn.Level == lanes.ReadCommitted:
		return "The server rolled the transaction back because another one got in its way."
	}
	return "The other lane changed what this one had read or wanted to change, so no serial order was left at " + g.Txn.Level.String() + "."
}

// fixes are the order of locks for a deadlock, and the retry, which stays
// necessary with any order.
func fixes(schema *lanes.Schema, g *failed.Group) []report.Fix {
	retry := mend.Retry(g.SQLState)
	if g.SQLState != deadlock || g.Txn == nil || g.Other == nil {
		return []report.Fix{retry}
	}
	return append(mend.Deadlock(schema, g.Txn, g.Other), retry)
}
