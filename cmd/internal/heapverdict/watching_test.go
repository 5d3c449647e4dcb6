package heapverdict

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/state"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/history"
)

// The calls of a load are those of a history that began while it ran.
func TestCalls(t *testing.T) {
	s, _ := stdio.Test()
	home := t.TempDir()
	s.Env = func(name string) string {
		if name == "XDG_STATE_HOME" {
			return home
		}
		return ""
	}
	l := &load{streams: s}
	since := time.Now()
	if got := l.calls(since); len(got) != 0 {
		t.Errorf("%d calls of no history", len(got))
	}
	path, err := state.New(s.Env, "run")
	if err != nil {
		t.Fatal(err)
	}
	w, err := history.Create(path, history.Header{Probe: "stress", Start: time.Now()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := w.Recorder(0)
	for range 3 {
		r.BeginCall("page")
		r.EndCall(history.Accepted, 1, nil, nil)
	}
	if err := errors.Join(r.Flush(), w.Close()); err != nil {
		t.Fatal(err)
	}
	got := l.calls(since)
	if len(got) != 3 || l.kept != 3 {
		t.Fatalf("%d calls, %d kept", len(got), l.kept)
	}
	for _, c := range got {
		if c.At.Before(since.Add(-time.Millisecond)) || c.At.After(time.Now()) || c.Took < 0 {
			t.Errorf("a call at %v of %v", c.At, c.Took)
		}
	}
	if got := l.calls(time.Now()); len(got) != 0 {
		t.Errorf("%d calls of a history from before", len(got))
	}
}

func TestShown(t *testing.T) {
	for target, want := range map[string]string{
		"4121": "pid 4121", "http://localhost:6060": "http://localhost:6060", "http://me:secret@host:1/x": "http://me:xxxxx@host:1/x",
		"ws://127.0.0.1:9229/a": "ws://127.0.0.1:9229/a",
	} {
		if got := shown(target); got != want {
			t.Errorf("%s is shown as %s, want %s", target, got, want)
		}
	}
	if got := shown("postgres://me:secret@host/db"); strings.Contains(got, "secret") {
		t.Errorf("a password is shown: %s", got)
	}
}

// What a process does not export is said below the table, and what it does is in it.
func TestCollected(t *testing.T) {
	c := &report.Collector{
		Source: "runtime.MemStats", Count: 7, P50: time.Millisecond, P99: 2 * time.Millisecond, Max: 3 * time.Millisecond, Share: 0.0123, What: "ns of a full collection",
		First: 1e6, Last: 3e6, Missing: []string{"its CPU time is not known"},
		Stalls: &report.Stalls{Calls: 2000, Slow: 20, Limit: 5 * time.Millisecond, Share: 0.8, Chance: 0.1, More: true, With: 9 * time.Millisecond, Without: time.Millisecond},
	}
	table := collected(c)
	var text []string
	for _, row := range table.Rows {
		text = append(text, strings.Join(row, " | "))
	}
	all := strings.Join(text, "\n")
	for _, want := range []string{"1 ms, 2 ms, 3 ms", "1.23 %", "1 ms → 3 ms (+200 %)", "80 % met a pause, of all calls 10 %: pauses make calls slow", "9 ms with a pause, 1 ms without"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
	if strings.Contains(all, "CPU") || len(table.Notes) != 1 {
		t.Errorf("what is not known is told: %s, notes %v", all, table.Notes)
	}
}
