package fenced

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// atOnce is how many runs go on at a time. Nearly all of a run is waiting for leases to
// end, so there are more than processors.
const atOnce = 8

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", fmt.Sprint(max(atOnce, runtime.GOMAXPROCS(0)))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// judgeAs runs the checker on a history as if the probe had written it.
func judgeAs(f *history.File, probe string) (findings []report.Finding, unknown []string, err error) {
	h := *f.Header
	h.Probe = probe
	err = Checker.Run(&check.Pass{
		Header: &h, Ops: f.Ops,
		Report:  func(f report.Finding) { findings = append(findings, f) },
		Unknown: func(s string) { unknown = append(unknown, s) },
	})
	return findings, unknown, err
}

func TestFindings(t *testing.T) {
	historytest.Golden(t, func(f *history.File) ([]report.Finding, []string, error) {
		return judgeAs(f, cmp.Or(f.Header.Param("probe"), leases))
	})
}

// A history of another probe says nothing to this judge.
func TestOtherProbes(t *testing.T) {
	findings, unknown, err := judgeAs(historytest.Read(t, "A calls pay\nA ends accepted\n"), "stress")
	if len(findings)+len(unknown) > 0 || err != nil {
		t.Errorf("%v, %v, %v", findings, unknown, err)
	}
}
