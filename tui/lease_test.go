package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story/storytest"
)

// leaseRun is a model of a lease whose late owner got through.
func leaseRun(w, h int, o Options) *model {
	m := newModel(o)
	feed(m, tea.WindowSizeMsg{Width: w, Height: h}, runMsg(report.Run{Probe: "lease", Scenario: "redis/expiry", Target: "a throw-away server", Server: "Redis 7.0.15"}))
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	f := report.Finding{
		Rule: "fenced", Severity: report.High, Anomaly: "late write accepted", Claim: "a late owner's write is refused",
		Message: "the resource took the write of A 6ms after its lease had ended, over that of B: ledger = B3 is gone",
		Why:     "A was paused until its lease was over and did not know.",
		Repro:   report.Repro{Command: "ccheck lease --backend redis --plant expiry"},
	}
	sum := report.Summary{Verdict: report.Faulty, Line: "ccheck: 1 finding", Notes: []string{"an owner was paused past the end of its lease 3 times"}}
	sum.Final.Claims = []report.ClaimState{
		{Name: "at most one owner at a time", State: "ok", Checks: 1},
		{Name: "a late owner's write is refused", State: "bad", Checks: 4, Bad: 4, FirstBad: ms(1007)},
	}
	sum.Timeline = &report.Timeline{Title: "who holds the lease", From: ms(1), To: ms(1008), Rows: []report.TimeRow{
		{Name: "A", Note: "acts until 7ms after its deadline", Spans: []report.TimeSpan{
			{Kind: report.Holds, From: ms(1), To: ms(1001)}, {Kind: report.Believes, From: ms(1001), To: ms(1008)}, {Kind: report.Paused, From: ms(2), To: ms(1006)},
		}},
		{Name: "B", Spans: []report.TimeSpan{
			{Kind: report.Waits, From: ms(3), To: ms(4)}, {Kind: report.Waits, From: ms(500), To: ms(501)}, {Kind: report.Holds, From: ms(1005), To: ms(1008)},
		}},
		{Name: "writes", Note: "+ taken, - refused; tokens A 1, B 2", Marks: []report.TimeMark{
			{At: ms(1), Text: "A1+"}, {At: ms(1005), Text: "B3+"}, {At: ms(1006), Text: "A2+", Bad: true},
		}},
	}}
	feed(m, findingMsg(f), endMsg(sum))
	m.flash = ""
	return m
}

func TestLeaseScreens(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {50, 20}, {40, 12}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			m := leaseRun(size[0], size[1], Options{})
			keys(m, "1")
			fits(t, m)
			storytest.Golden(t, fmt.Sprintf("lease.%dx%d.golden", size[0], size[1]), plain(m))
		})
	}
	m := leaseRun(80, 24, Options{ASCII: true})
	keys(m, "1")
	for _, r := range plain(m) {
		if r > 127 {
			t.Fatalf("it draws %q, which is not ASCII:\n%s", r, plain(m))
		}
	}
}

// While the run goes on there is no line to draw.
func TestLeaseRunning(t *testing.T) {
	m := newModel(Options{Stop: func() {}})
	feed(m, tea.WindowSizeMsg{Width: 80, Height: 24}, runMsg(report.Run{Probe: "leader", Scenario: "row"}), progressMsg(report.Progress{Phase: "acts", Accepted: 12}))
	fits(t, m)
	if !strings.Contains(plain(m), "when the run has ended") {
		t.Errorf("it does not say when the line is drawn:\n%s", plain(m))
	}
}
