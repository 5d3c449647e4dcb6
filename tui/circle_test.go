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

// sizes are those of the goldens of a first screen.
var sizes = [][2]int{{120, 40}, {80, 24}, {50, 20}}

func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// circleRun is a model of two transfers that wait for each other.
func circleRun(w, h int, o Options) *model {
	m := newModel(o)
	feed(m, tea.WindowSizeMsg{Width: w, Height: h}, runMsg(report.Run{Probe: "deadlock", Scenario: "transfer", Target: "a throw-away server", Server: "PostgreSQL 15.18"}))
	f := report.Finding{
		Rule: "deadlock", Severity: report.Medium, Anomaly: "deadlock (40P01) of 2 transactions", Count: 8,
		Message: "there and back waited for each other on account id=1 and account id=2, 8 times: one of them was rolled back with 40P01 each time",
		Lanes:   []report.Lane{{Name: "T1", Detail: "client 0, there"}, {Name: "T2", Detail: "client 1, back"}},
		Steps: []report.Step{
			{Lane: 0, Text: "UPDATE account SET balance = balance - 1 WHERE id = 1"},
			{Lane: 1, Text: "UPDATE account SET balance = balance - 1 WHERE id = 2"},
			{Lane: 1, Text: "UPDATE account SET balance = balance + 1 WHERE id = 1", Wait: "waits for T1, 16.1ms"},
			{Lane: 0, Text: "UPDATE account SET balance = balance + 1 WHERE id = 2", Wait: "waits for T2, 14.7ms", Result: "ERROR 40P01 deadlock detected"},
			{Lane: 1, Text: "COMMIT", Result: "COMMIT ok"},
		},
		Ring: []report.Link{{Lane: 0, For: "account id=2", Held: "UPDATE account", Step: 3}, {Lane: 1, For: "account id=1", Held: "UPDATE account", Step: 2}},
		Fixes: []report.Fix{
			{Kind: report.Retry, Title: "Start the whole transaction over"},
			{Kind: report.Order, Title: "Lock the rows in the order of their keys before touching any", SQL: "SELECT id FROM account WHERE id IN (:first, :second) ORDER BY id FOR UPDATE", Verified: "run as the version ordered: no deadlock in 8 schedules"},
		},
		Repro: report.Repro{Command: "ccheck deadlock transfer"},
	}
	other := f
	other.Message, other.Ring = "a second circle", nil
	feed(m, findingMsg(f), findingMsg(other), endMsg(report.Summary{Verdict: report.Faulty, Line: "ccheck: 2 findings", Notes: []string{"a note"}}))
	m.flash = ""
	return m
}

func TestCircleScreens(t *testing.T) {
	for _, size := range sizes {
		m := circleRun(size[0], size[1], Options{})
		keys(m, "1")
		fits(t, m)
		storytest.Golden(t, fmt.Sprintf("deadlock.%dx%d.golden", size[0], size[1]), plain(m))
	}
	m := circleRun(120, 40, Options{ASCII: true})
	keys(m, "1")
	ascii(t, m)
	keys(m, "n")
	if !strings.Contains(plain(m), "a second circle") || strings.Contains(plain(m), "who waits for whom") {
		t.Errorf("n does not show the next one:\n%s", plain(m))
	}
	keys(m, "N")
	if !strings.Contains(plain(m), "circle 1 of 2") {
		t.Errorf("N does not go back:\n%s", plain(m))
	}
}

func ascii(t *testing.T, m *model) {
	t.Helper()
	for _, r := range plain(m) {
		if r > 127 {
			t.Fatalf("it draws %q, which is not ASCII:\n%s", r, plain(m))
		}
	}
}

// drawn is a model of a run that has a time line.
func drawn(w, h int, run report.Run, line *report.Timeline, f report.Finding) *model {
	m := newModel(Options{})
	feed(m, tea.WindowSizeMsg{Width: w, Height: h}, runMsg(run))
	sum := report.Summary{Verdict: report.Faulty, Line: "ccheck: 1 finding", Timeline: line}
	sum.Final.Claims = []report.ClaimState{{Name: f.Claim, State: "bad", Checks: 3, Bad: 1, FirstBad: millis(40)}}
	feed(m, findingMsg(f), endMsg(sum))
	m.flash = ""
	keys(m, "1")
	return m
}

func TestRetryScreens(t *testing.T) {
	line := &report.Timeline{Title: "the tries of each call", To: millis(60), Rows: []report.TimeRow{
		{Name: "40001", Note: "2 transactions; the caller was told accepted; account changed once", Spans: []report.TimeSpan{
			{Kind: report.Undone, To: millis(10)}, {Kind: report.Commits, From: millis(20), To: millis(40)},
		}},
		{Name: "answer", Note: "2 transactions; the caller was told status 500; account changed twice", Spans: []report.TimeSpan{
			{Kind: report.Commits, To: millis(30)}, {Kind: report.Commits, From: millis(35), To: millis(60)},
		}},
	}}
	f := report.Finding{
		Rule: "once", Severity: report.High, Claim: "nothing happens twice, and nothing is dropped", Anomaly: "twice when it is sent again",
		Message: "the server committed pay and the answer was lost; the caller sent the same call again, and account happened twice",
		Why:     "A COMMIT whose answer is lost may have succeeded.",
	}
	for _, size := range sizes {
		m := drawn(size[0], size[1], report.Run{Probe: "retry", Scenario: "payment", Target: "a throw-away server"}, line, f)
		fits(t, m)
		storytest.Golden(t, fmt.Sprintf("retry.%dx%d.golden", size[0], size[1]), plain(m))
	}
}

func TestQueueScreens(t *testing.T) {
	held := func(from, to int) []report.TimeSpan {
		return []report.TimeSpan{{Kind: report.Holds, From: millis(from), To: millis(to)}}
	}
	line := &report.Timeline{Title: "who has a job, and when it is done", From: millis(10), To: millis(90), Rows: []report.TimeRow{
		{Name: "job 16, worker 5", Spans: held(10, 20)},
		{Name: "job 16", Note: "lost", Marks: []report.TimeMark{{At: millis(20), Text: "never done", Bad: true}}},
		{Name: "job 40, worker 4", Spans: held(40, 70)},
		{Name: "job 40, worker 6", Spans: held(45, 90)},
		{Name: "job 40", Note: "done twice", Marks: []report.TimeMark{{At: millis(60), Text: "done"}, {At: millis(80), Text: "done", Bad: true}}},
	}}
	f := report.Finding{
		Rule: "delivery", Severity: report.High, Claim: "every job is done", Anomaly: "lost job",
		Message: "1 of 200 jobs was never done, though the queue was drained",
		Why:     "The claim was committed before the job was done, and when the worker died nobody took it over.",
	}
	for _, size := range sizes {
		m := drawn(size[0], size[1], report.Run{Probe: "queue", Scenario: "one-statement", Target: "a throw-away server"}, line, f)
		fits(t, m)
		storytest.Golden(t, fmt.Sprintf("queue.%dx%d.golden", size[0], size[1]), plain(m))
	}
}

// While the run goes on there is nothing to draw yet, and the screens say so.
func TestFirstScreensRunning(t *testing.T) {
	for probe, later := range map[string]string{"deadlock": "The circles are drawn", "retry": "The tries are drawn", "queue": "The jobs are drawn"} {
		m := newModel(Options{Stop: func() {}, Run: report.Run{Probe: probe}})
		feed(m, tea.WindowSizeMsg{Width: 80, Height: 24}, runMsg(report.Run{Probe: probe, Scenario: "x"}), progressMsg(report.Progress{Phase: "first", Accepted: 12}))
		fits(t, m)
		if !strings.Contains(plain(m), later) {
			t.Errorf("%s does not say when it is drawn:\n%s", probe, plain(m))
		}
	}
}
