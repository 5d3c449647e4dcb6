package skew

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// judge runs the checker on a history as if the probe had written it.
func judge(f *history.File) (findings []report.Finding, unknown []string, err error) {
	h := *f.Header
	h.Probe = probe
	if claim := h.Param("claim"); claim != "" {
		h.Claims = append(h.Claims, history.Claim{Name: claimOffset, Kind: history.Property})
	}
	err = Checker.Run(&check.Pass{
		Header: &h, Ops: f.Ops,
		Report:  func(f report.Finding) { findings = append(findings, f) },
		Unknown: func(s string) { unknown = append(unknown, s) },
	})
	return findings, unknown, err
}

func TestFindings(t *testing.T) { historytest.Golden(t, judge) }

// A history of another probe says nothing to this judge.
func TestOtherProbes(t *testing.T) {
	f := historytest.Read(t, "A calls reading\nA ends accepted\n")
	err := Checker.Run(&check.Pass{
		Header: f.Header, Ops: f.Ops,
		Report:  func(f report.Finding) { t.Errorf("found %s", f.Message) },
		Unknown: func(s string) { t.Errorf("unknown: %s", s) },
	})
	if err != nil {
		t.Error(err)
	}
}
