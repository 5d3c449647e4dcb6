package failure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/failed"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker reports unplanned errors.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const name = "failure"

func run(pass *check.Pass) error {
	groups, schema, err := failed.Collect(pass.Header, pass.Ops(), func(sqlstate string) bool {
		return sqlstate != "40001" && sqlstate != "40P01"
	})
	if err != nil {
		return err
	}
	for _, g := range groups {
		switch {
		case disturbed(g.SQLState):
			pass.Unknown(fmt.Sprintf("%s of %s failed because the server was disturbed (%s): run it again", g.Calls(), g.Who(), errorText(g)))
			continue
		case mistaken(g):
			pass.Unknown(fmt.Sprintf("%s of %s failed by a mistake in the script%s (%s): %s", g.Calls(), g.Who(), place(g), errorText(g), mending(g.SQLState)))
			continue
		}
		pass.Report(finding(pass.Header, schema, g))
	}
	return nil
}

// disturbed reports whether the SQLSTATE tells of the server and not of the
// application: connection, resources, shutdown, system error (manual,
// appendix A).
func disturbed(sqlstate string) bool {
	for _, class := range []string{"08", "53", "57P", "58", "XX"} {
		if strings.HasPrefix(sqlstate, class) {
			return true
		}
	}
	return false
}

// mistakes are SQLSTATEs of statements that are wrong whatever the tables hold:
// syntax, names and types (manual, appendix A).
var mistakes = []string{"42601", "42703", "42704", "42725", "42804", "42883", "42P08", "42P18"}

// mistaken reports whether the script cannot be run as it is, which says nothing
// about the application: the expressions of pgbench know numbers alone.
func mistaken(g *failed.Group) bool {
	if g.SQLState != "" {
		return slices.Contains(mistakes, g.SQLState)
	}
	return strings.Contains(g.Error, "malformed variable") || strings.Contains(g.Error, "cannot coerce") || strings.Contains(g.Error, "undefined variable")
}

// place is where in the script the statement stands that failed; errors of the
// script's own commands name it themselves.
func place(g *failed.Group) string {
	if g.SQLState == "" || g.Txn == nil {
		return ""
	}
	for _, st := range g.Txn.Stmts {
		if s := st.Begin.Stmt; st.End != nil && st.End.SQLState == g.SQLState && s.Line > 0 {
			return fmt.Sprintf(" at %s:%d", s.File, s.Line)
		}
	}
	return ""
}

func mending(sqlstate string) string {
	switch sqlstate {
	case "":
		return `\set and \if know numbers and booleans; -- @decide compares text as well`
	case "42725", "42883", "42P08", "42P18", "42804":
		return "a variable of a script has no type of its own; write :n::int where the statement gives it none"
	}
	return "mend the statement"
}

func errorText(g *failed.Group) string {
	return strings.TrimSpace(g.SQLState + " " + strings.TrimPrefix(g.Error, "ERROR "+g.SQLState+" "))
}

func finding(h *history.Header, schema *lanes.Schema, g *failed.Group) report.Finding {
	f := report.Finding{
		Rule: name, Severity: report.Medium, Anomaly: "unhandled error " + cmp.Or(g.SQLState, "(no SQLSTATE)"), Count: g.Count, First: g.First, Last: g.Last,
		Message: fmt.Sprintf("%s of %s ended with an error that the scenario %s: %s", g.Calls(), g.Who(), unhandled(h, g), errorText(g)),
		Repro:   report.Repro{Seed: h.Seed}, Help: "docs/analyzers/failure.md",
	}
	g.Tell(&f, schema)
	f.Why = reason(g.SQLState)
	if f.Fixes = fixes(g.SQLState); g.Retried(h) {
		f.Fixes = slices.DeleteFunc(f.Fixes, func(x report.Fix) bool { return x.Title == startOver })
	}
	return f
}

// unhandled says what the scenario does about the error: nothing, or start over
// until it gives up.
func unhandled(h *history.Header, g *failed.Group) string {
	if g.Retried(h) {
		return fmt.Sprintf("starts over for, and gave up after %d tries", max(g.Tries, 1))
	}
	return "neither retries nor refuses"
}

func reason(sqlstate string) string {
	switch sqlstate {
	case "23505", "23P01":
		return "A constraint stopped the second one, so the data is right; the caller saw an internal error in place of an answer."
	case "55P03", "57014":
		return "The statement waited longer than the time-out allows."
	}
	return ""
}

const startOver = "Start over on 23505, where the application has computed the value itself"

// fixes answers constraints as the refusals that they are.
func fixes(sqlstate string) []report.Fix {
	switch sqlstate {
	case "23505", "23P01", "23514", "23503":
		list := []report.Fix{{
			Kind: report.Constraint, Title: "Answer " + sqlstate + " with a refusal",
			Note: "the constraint is the check; in the scenario: -- @refuse " + sqlstate,
		}}
		if sqlstate != "23505" {
			return list
		}
		return append(list, report.Fix{
			Kind: report.Constraint, Title: startOver,
			Note: "the next number, say: from BEGIN, so that it is computed again; in the scenario: -- @retry 23505",
		})
	}
	return nil
}
