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

// replicas are one that follows closely and one that is late and was cut off.
func replicas() *report.Lag {
	l := &report.Lag{
		Replicas: []report.LagSeries{
			{Name: "r1", P50: 4100 * time.Microsecond, P99: 9800 * time.Microsecond, Max: 14 * time.Millisecond, Bytes: 12_000, Writes: 240, Late: 30},
			{Name: "r2", P50: 250 * time.Millisecond, P99: 812 * time.Millisecond, Max: 1204 * time.Millisecond, Bytes: 4_100_000, Writes: 240, Late: 240},
		},
		Readers: []report.LagReader{
			{Name: "replica", Reads: 482, Behind: 406, Stale: 382},
			{Name: "primary", Reads: 98, Behind: 86, Primary: 98},
			{Name: "wait", Reads: 24, Behind: 9, P50: 220 * time.Millisecond, P99: 263 * time.Millisecond},
		},
		Cut:     []report.LagReader{{Name: "replica", Reads: 120, Behind: 104, Stale: 101}, {Name: "wait", Reads: 6, Refused: 3, P50: time.Second, P99: time.Second}},
		CutName: "r2", CutFor: 3 * time.Second, CutOldest: 2800 * time.Millisecond, CaughtUp: 400 * time.Millisecond,
	}
	for i := range 120 {
		l.Replicas[0].Values = append(l.Replicas[0].Values, time.Duration(4+i%7)*time.Millisecond)
		l.Replicas[1].Values = append(l.Replicas[1].Values, 250*time.Millisecond+time.Duration(i*i%960)*time.Millisecond)
	}
	return l
}

var lagging = report.Run{Probe: "lag", Scenario: "reads/replica", Target: "a throw-away server", Server: "PostgreSQL 15.18"}

func TestLagScreens(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {50, 20}, {40, 12}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			m := newModel(Options{})
			sum := report.Summary{Verdict: report.Faulty, Line: "ccheck: 1 finding", Lag: replicas()}
			sum.Final.Claims = []report.ClaimState{{Name: "a session reads its own writes", State: "bad", Checks: 121, Bad: 121}}
			feed(m, tea.WindowSizeMsg{Width: size[0], Height: size[1]}, runMsg(lagging), findingMsg(report.Finding{
				Rule: "session", Severity: report.Medium, Message: "A wrote version 1 and then read version 0 from r1", Why: "COMMIT does not wait for the replica.",
			}), endMsg(sum))
			m.flash = ""
			keys(m, "1")
			fits(t, m)
			storytest.Golden(t, fmt.Sprintf("lag.%dx%d.golden", size[0], size[1]), plain(m))
		})
	}
}

// The course is drawn while the run goes on, in ASCII where that is asked for.
func TestLagRunning(t *testing.T) {
	m := newModel(Options{Stop: func() {}, ASCII: true})
	l := replicas()
	l.Readers, l.Cut, l.CutName = nil, nil, ""
	feed(m, tea.WindowSizeMsg{Width: 80, Height: 24}, runMsg(lagging), progressMsg(report.Progress{Phase: "replica", Accepted: 12, Lag: l}))
	fits(t, m)
	text := plain(m)
	if !strings.Contains(text, "judged when the run has ended") || !strings.Contains(text, "p99 812 ms") {
		t.Errorf("it does not show where it stands:\n%s", text)
	}
	for _, r := range text {
		if r > 127 {
			t.Fatalf("it draws %q, which is not ASCII:\n%s", r, text)
		}
	}
}
