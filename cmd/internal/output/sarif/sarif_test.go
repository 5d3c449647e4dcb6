package sarif_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/output/sarif"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var rules = []sarif.Rule{
	{Name: "unused", Summary: "a rule without a finding"},
	{Name: "sqlcheckact", Summary: "a row that is checked and then written", Doc: "Two callers\nread the same row."},
}

// pair is a finding of source with everything in it that the log has to carry.
func pair() report.Finding {
	at := func(line int) report.Location {
		return report.Location{File: "shop/voucher store.go", Line: line, Column: 2, EndLine: line, EndColumn: 9}
	}
	return report.Finding{
		Rule: "sqlcheckact", Severity: report.High, Message: "two callers redeem the same voucher", Why: "A reads used = false\nB reads used = false",
		Where: at(31), Steps: []report.Step{{Text: "the check", Where: at(20)}},
		Fixes: []report.Fix{{Kind: report.Atomic, Title: "let the server decide", SQL: "UPDATE voucher SET used = true WHERE code = $1 AND NOT used",
			Edits: []report.Edit{{Location: at(31), NewText: "x"}, {Location: at(32), NewText: ""}}}},
		Fingerprint: "abc",
	}
}

// lost is a finding of a run on a server: lanes, and no place in a file.
func lost() report.Finding {
	return report.Finding{
		Rule: "invariant", Severity: report.Medium, Message: "money was lost",
		Lanes: []report.Lane{{Name: "T1"}, {Name: "T2"}},
		Steps: []report.Step{{Lane: 0, Text: "SELECT 1"}, {Lane: 1, Text: "UPDATE x"}},
	}
}

func write(t *testing.T, sum report.Summary, findings ...report.Finding) []byte {
	t.Helper()
	var out bytes.Buffer
	s := sarif.New(&out, rules)
	errs := []error{s.Begin(report.Run{Tool: "ccheck v0.1.0", Probe: "vet"})}
	s.Progress(report.Progress{})
	for _, f := range findings {
		errs = append(errs, s.Add(f))
	}
	if err := errors.Join(append(errs, s.End(sum))...); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	tests := []struct {
		file string
		text []byte
	}{
		{"findings.sarif", write(t, report.Summary{Verdict: report.Faulty}, pair(), lost(), report.Finding{Rule: "outside", Message: "m", Where: report.Location{File: "/usr/x.go", Line: 1}})},
		{"clean.sarif", write(t, report.Summary{Verdict: report.Clean})},
		{"unknown.sarif", write(t, report.Summary{Verdict: report.Unknown, Reasons: []string{"a.go:1: does not compile"}, Notes: []string{"n"}})},
	}
	for _, tt := range tests {
		path := filepath.Join("testdata", tt.file)
		if *update {
			if err := os.WriteFile(path, tt.text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(tt.text)); diff != "" {
			t.Errorf("%s differs (-want +got); -update rewrites it\n%s", path, diff)
		}
	}
}

// log is what the tests read of a log.
type log struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []struct{ ID string } }
		}
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct{ Message struct{ Text string } }
		}
		Results []struct {
			RuleID    string
			RuleIndex int
			Level     string
			Locations []any
			CodeFlows []struct{ ThreadFlows []struct{ Locations []any } }
		}
	}
}

func read(t *testing.T, text []byte) log {
	t.Helper()
	var l log
	if err := json.Unmarshal(text, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// What GitHub drops in silence is left out by rank, and said.
func TestLimits(t *testing.T) {
	all := make([]report.Finding, 0, 5100)
	for i := range 5050 {
		all = append(all, report.Finding{Rule: "low", Severity: report.Low, Message: fmt.Sprint(i)})
	}
	for range 50 {
		all = append(all, pair())
	}
	long := pair()
	for len(long.Steps) < 2000 {
		long.Steps = append(long.Steps, long.Steps[0])
	}
	run := read(t, write(t, report.Summary{Verdict: report.Faulty}, append(all, long)...)).Runs[0]
	if len(run.Results) != 5000 {
		t.Errorf("%d results, want 5000", len(run.Results))
	}
	if said := run.Invocations[0].ToolExecutionNotifications; len(said) != 1 || !strings.Contains(said[0].Message.Text, "101 of 5101 findings are left out") {
		t.Errorf("notifications %+v", said)
	}
	high := 0
	for _, r := range run.Results {
		if r.Level == "error" {
			high++
		}
		if id := run.Tool.Driver.Rules[r.RuleIndex].ID; id != r.RuleID {
			t.Fatalf("rule %s points to the descriptor of %s", r.RuleID, id)
		}
		for _, f := range r.CodeFlows {
			if n := len(f.ThreadFlows[0].Locations); n > 1000 {
				t.Errorf("a flow of %d steps", n)
			}
		}
	}
	if high != 51 {
		t.Errorf("%d of 51 grave findings are in the log", high)
	}
}

// A result without a place is dropped by code scanning.
func TestEveryResultHasAPlace(t *testing.T) {
	for _, r := range read(t, write(t, report.Summary{}, lost())).Runs[0].Results {
		if len(r.Locations) != 1 {
			t.Errorf("%s has %d places", r.RuleID, len(r.Locations))
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestWriteError(t *testing.T) {
	err := sarif.New(broken{}, nil).End(report.Summary{})
	if err == nil || err.Error() != "writing the SARIF log: no space left on device" {
		t.Errorf("error %v", err)
	}
}
