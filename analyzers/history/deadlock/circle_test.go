package deadlock

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// What is told of circles that no built-in shape has.
func TestCircles(t *testing.T) {
	historytest.Golden(t, func(f *history.File) (findings []report.Finding, unknown []string, err error) {
		h := *f.Header
		h.Probe = probe
		err = Checker.Run(&check.Pass{
			Header: &h, Ops: f.Ops,
			Report:  func(f report.Finding) { findings = append(findings, f) },
			Unknown: func(s string) { unknown = append(unknown, s) },
		})
		return findings, unknown, err
	})
}
