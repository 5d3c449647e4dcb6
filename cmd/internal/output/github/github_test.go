package github_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/output/github"
	"github.com/ccheck/ccheck/tui/story/storytest"
)

// tell returns the workflow commands and the summary page, which begins with
// what another step wrote.
func tell(t *testing.T, sum report.Summary, findings ...report.Finding) (commands, page string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "summary.md")
	if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s := github.New(&out, path)
	errs := []error{s.Begin(storytest.Run())}
	s.Progress(storytest.Progress())
	for _, f := range findings {
		errs = append(errs, s.Add(f))
	}
	if err := errors.Join(append(errs, s.End(sum))...); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), string(text)
}

func TestGolden(t *testing.T) {
	spread := report.Finding{Rule: "growth", Severity: report.Low, Message: "50 % more: a, b", Where: report.Location{File: "a, b.go", Line: 3, Column: 2, EndLine: 5, EndColumn: 1}}
	word := report.Finding{Rule: "sqlcheckact", Severity: report.High, Message: "m", Why: "A\nB", Where: report.Location{File: "a.go", Line: 3, Column: 2, EndLine: 3, EndColumn: 9}}
	commands, page := tell(t, storytest.Summary(), storytest.Unretried(), storytest.LostUpdate(), spread, word)
	storytest.Golden(t, "faulty.txt", commands)
	storytest.Golden(t, "faulty.md", page)
	commands, page = tell(t, report.Summary{Verdict: report.Faulty}, storytest.Leak())
	storytest.Golden(t, "leak.txt", commands)
	storytest.Golden(t, "leak.md", page)
	commands, page = tell(t, report.Summary{Verdict: report.Unknown, Reasons: []string{"a.go: does not compile", "3 overlaps"}})
	storytest.Golden(t, "unknown.txt", commands)
	storytest.Golden(t, "unknown.md", page)
	if commands, _ = tell(t, report.Summary{Verdict: report.Clean}); commands != "" {
		t.Errorf("a clean run has annotations:\n%s", commands)
	}
}

// Of a level ten are shown; what is left out is counted among them.
func TestLimits(t *testing.T) {
	tests := []struct {
		high    int
		verdict report.Verdict
		more    string // "" for none
	}{
		{10, report.Faulty, ""},
		{11, report.Faulty, "and 2 more"},
		{9, report.Unknown, ""},
		{10, report.Unknown, "and 2 more"},
	}
	for _, tt := range tests {
		var findings []report.Finding
		for i := range tt.high {
			findings = append(findings, report.Finding{Rule: "r", Severity: report.High, Message: fmt.Sprint(i)})
		}
		commands, _ := tell(t, report.Summary{Verdict: tt.verdict}, findings...)
		if n := strings.Count(commands, "::error "); n > 10 || strings.Contains(commands, " more;") != (tt.more != "") || !strings.Contains(commands, tt.more) {
			t.Errorf("%d findings, %s: %d errors, want %q among them\n%s", tt.high, tt.verdict, n, tt.more, commands)
		}
	}
}

// GitHub takes 1 MiB and drops a page that is larger.
func TestPageFits(t *testing.T) {
	var findings []report.Finding
	for i := range 3000 {
		f := storytest.LostUpdate()
		f.Message = fmt.Sprint("finding ", i)
		findings = append(findings, f)
	}
	_, page := tell(t, storytest.Summary(), findings...)
	if len(page) > 1<<20 || !strings.Contains(page, "more findings do not fit") || !strings.Contains(page, "finding 10") {
		t.Errorf("the page has %d bytes and ends %q", len(page), page[len(page)-200:])
	}
}

// Nothing in the data can begin a command of its own.
func TestDataStaysData(t *testing.T) {
	bad := "a\r\n::add-mask::b\n::error::c,file=x::d%0A\x1b[31m"
	f := report.Finding{Rule: bad, Anomaly: bad, Severity: report.High, Message: bad, Where: report.Location{File: bad, Line: 1}}
	commands, _ := tell(t, report.Summary{Verdict: report.Unknown, Reasons: []string{bad}}, f)
	for line := range strings.SplitSeq(strings.TrimSpace(commands), "\n") {
		props, _, ok := strings.Cut(strings.TrimPrefix(line, "::error "), "::")
		if !strings.HasPrefix(line, "::error ") || !ok || strings.Contains(props, ",file=") || strings.ContainsAny(line, "\r\x1b") {
			t.Errorf("the line is\n%s", line)
		}
	}
	if n := strings.Count(commands, "\n"); n != 2 {
		t.Errorf("%d lines, want 2:\n%s", n, commands)
	}
}

type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	if err := github.New(full{}, "").End(report.Summary{Verdict: report.Unknown}); !errors.Is(err, errFull) {
		t.Errorf("annotations: %v", err)
	}
	var out bytes.Buffer
	err := github.New(&out, filepath.Join(t.TempDir(), "none", "summary.md")).End(report.Summary{Verdict: report.Unknown})
	if !errors.Is(err, os.ErrNotExist) || out.Len() == 0 {
		t.Errorf("summary: %v, annotations %q", err, out.String())
	}
}
