package mcp

import (
	"context"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/tui/story/storytest"
)

// The tools themselves are tested in cmd/ccheck, over the streams of a process.

func TestOptions(t *testing.T) {
	s, _ := stdio.Test()
	var got *Options
	cmd := New(s, func(_ context.Context, o *Options) error { got = o; return nil })
	if err := clitest.Run(t, cmd, "--allow-own-scenarios"); err != nil || !got.AllowOwn {
		t.Errorf("options %+v, error %v", got, err)
	}
	if err := clitest.Run(t, New(s, nil), "serve"); exit.Code(err) != exit.Usage {
		t.Errorf("an argument: %v", err)
	}
}

// A person who tries it out gets told what it is.
func TestOnATerminal(t *testing.T) {
	s, _ := stdio.Test()
	s.InTTY = true
	err := clitest.Run(t, New(s, nil))
	if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "JSON-RPC on standard input") {
		t.Errorf("on a terminal: %v", err)
	}
}

func TestResultIsShort(t *testing.T) {
	r := output.Recording{Summary: report.Summary{Verdict: report.Faulty, Line: "ccheck: 3 findings"}}
	for range 3 {
		r.Findings = append(r.Findings, storytest.LostUpdate())
	}
	got := newResult(r, 2)
	if len(got.Findings) != 2 || got.LeftOut != 1 || got.Verdict != "faulty" {
		t.Fatalf("%d findings, %d left out, verdict %s", len(got.Findings), got.LeftOut, got.Verdict)
	}
	f := got.Findings[1]
	if f.Number != 2 || len(f.Fixes) != 3 || !strings.HasPrefix(f.Fixes[0], "atomic statement: ") {
		t.Errorf("finding %+v", f)
	}
	if want := "6. T2: UPDATE wallet SET balance = 70 WHERE id = 3 | waits for T1, 4.1 ms | balance 80 → 70"; f.Steps[5] != want {
		t.Errorf("step %q, want %q", f.Steps[5], want)
	}
	if few := newResult(output.Recording{}, 0); few.Findings == nil {
		t.Error("no findings are null in JSON")
	}
}

func TestProblem(t *testing.T) {
	tests := []struct{ said, want string }{
		{"ccheck: one thing goes on\nccheck: error: no server\nccheck: hint: start one\n", "no server; hint: start one"},
		{"panic: x", "ccheck ended without a result and without a reason"},
	}
	for _, tt := range tests {
		if got := problem([]byte(tt.said)).Error(); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.said, got, tt.want)
		}
	}
}
