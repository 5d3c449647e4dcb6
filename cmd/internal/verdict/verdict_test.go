package verdict

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/stress"
)

// counter is the history of `ccheck stress counter -c 4 -t 3`, which lost updates.
const counter = "testdata/counter.jsonl"

// again judges what edit makes of the lines of the counter's history.
func again(t *testing.T, edit func([][]byte) []byte) (*output.Recording, *exit.Error) {
	t.Helper()
	text, err := os.ReadFile(counter)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, edit(bytes.SplitAfter(text, []byte("\n"))), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	all, damage, err := Again(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	return all, damage
}

func join(lines [][]byte) []byte { return bytes.Join(lines, nil) }

func TestAgain(t *testing.T) {
	all, damage := again(t, join)
	if damage != nil {
		t.Fatalf("a whole history is damaged: %v", damage)
	}
	if v := all.Summary.Verdict; v != report.Faulty || len(all.Findings) == 0 {
		t.Fatalf("verdict %s with %d findings", v, len(all.Findings))
	}
	more, _ := again(t, join)
	if diff := cmp.Diff(all.Findings, more.Findings); diff != "" {
		t.Errorf("judged twice, the findings differ:\n%s", diff)
	}
}

// A finding and the claim it breaks tell one moment on one clock.
func TestOneClock(t *testing.T) {
	all, _ := again(t, join)
	for _, f := range all.Findings {
		for _, c := range all.Summary.Final.Claims {
			if c.Name == f.Claim && c.FirstBad != f.First {
				t.Errorf("%s: the claim was first bad at %v, the finding is from %v", c.Name, c.FirstBad, f.First)
			}
		}
		if f.First > all.Summary.Final.Elapsed {
			t.Errorf("first seen at %v in a run of %v", f.First, all.Summary.Final.Elapsed)
		}
		for i, s := range f.Steps {
			if s.End > all.Summary.Final.Elapsed {
				t.Errorf("step %d ends at %v in a run of %v", i+1, s.End, all.Summary.Final.Elapsed)
			}
		}
	}
}

func TestDamage(t *testing.T) {
	tests := []struct {
		name string
		edit func([][]byte) []byte
		want string // what the error says
	}{
		{"in the middle of a line", func(l [][]byte) []byte { b := join(l[:20]); return b[:len(b)-5] },
			"run.jsonl:20: the history ends in the middle of a line, as a crash or a full disk leaves it"},
		{"between two lines", func(l [][]byte) []byte { return join(l[:20]) }, "run.jsonl: the history ends before its run did"},
		{"behind the header", func(l [][]byte) []byte { return l[0] }, "run.jsonl: the history ends before its run did"},
		{"garbage inside", func(l [][]byte) []byte { l[30] = []byte("{\x00}\n"); return join(l) }, "run.jsonl:31: the history is damaged: "},
		{"lanes without an end", func(l [][]byte) []byte { return join(append(l[:20:20], l[len(l)-3:]...)) }, "the history ends before its run did"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all, damage := again(t, tt.edit)
			if damage == nil || !strings.Contains(damage.Msg, tt.want) || damage.Code != exit.Unknown {
				t.Fatalf("damage %v, want %q", damage, tt.want)
			}
			if !strings.Contains(damage.Hint, "seed ") {
				t.Errorf("the hint does not say how to make the run again: %s", damage.Hint)
			}
			if all.Summary.Verdict == report.Clean || len(all.Summary.Reasons) == 0 {
				t.Errorf("verdict %s, reasons %q", all.Summary.Verdict, all.Summary.Reasons)
			}
		})
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct {
		path string
		want clitest.Outcome
	}{
		{filepath.Join(dir, "none"), clitest.Outcome{Code: exit.Usage, Msg: `there is no file "DIR/none"`, Hint: "without a file the newest history is taken"}},
		{dir, clitest.Outcome{Code: exit.Usage, Msg: "DIR is a folder", Hint: "name a file in it"}},
		{write("empty", ""), clitest.Outcome{Code: exit.Usage, Msg: "DIR/empty is empty", Hint: "make the run again: it ended before it recorded anything"}},
		{write("foreign", "{\"level\":\"info\"}\n"), clitest.Outcome{Code: exit.Usage, Msg: "DIR/foreign is neither a history nor a report of ccheck",
			Hint: "`ccheck stress --history FILE` writes a history, `--format json:FILE` a report"}},
		{write("binary", "\x7fELF"), clitest.Outcome{Code: exit.Usage, Msg: "DIR/binary is neither a history nor a report of ccheck",
			Hint: "`ccheck stress --history FILE` writes a history, `--format json:FILE` a report"}},
		{write("report", `{"schema":"ccheck/1","run":{}}`), clitest.Outcome{Code: exit.Usage,
			Msg:  "DIR/report is a report and no history: it holds findings, and no statements to judge",
			Hint: "`ccheck show DIR/report` shows it; the history it was made from is named in it"}},
		{write("newer", `{"schema":"ccheck-history/9"}`+"\n"), clitest.Outcome{Code: exit.Usage,
			Msg: `DIR/newer has the format "ccheck-history/9", and this ccheck reads "ccheck-history/1"`, Hint: "a newer ccheck wrote it: update this one"}},
		{write("header", `{"schema":"ccheck-history/1","run":"x`), clitest.Outcome{Code: exit.Unknown,
			Msg: "DIR/header:1: the history ends in its header; nothing of it can be judged", Hint: "make the run again: it ended before it recorded anything"}},
		{"postgres://u:canary@h/d", clitest.Outcome{Code: exit.Usage,
			Msg: `there is no file "…" (not shown: it looks like a connection string and may hold a password)`, Hint: "without a file the newest history is taken"}},
	}
	for _, tt := range tests {
		_, err := Open(tt.path)
		got := clitest.Of(err)
		got.Msg, got.Hint = strings.ReplaceAll(got.Msg, dir, "DIR"), strings.ReplaceAll(got.Hint, dir, "DIR")
		if got != tt.want {
			t.Errorf("%s\n got %+v\nwant %+v", tt.path, got, tt.want)
		}
	}
}

func TestNewest(t *testing.T) {
	s, b := stdio.Test()
	home := t.TempDir()
	s.Env = func(name string) string { return map[string]string{"XDG_STATE_HOME": home}[name] }
	if got := clitest.Of(second(Newest(s))); got.Code != exit.Usage || !strings.Contains(got.Msg, home) {
		t.Errorf("without a history: %+v", got)
	}
	dir := filepath.Join(home, "ccheck", "histories")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, "a.jsonl")
	if err := os.WriteFile(want, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if path, err := Newest(s); err != nil || path != want || !strings.Contains(b.Err.String(), want) {
		t.Errorf("path %s, error %v, told %q", path, err, b.Err.String())
	}
}

func second(_ string, err error) error { return err }

func TestLine(t *testing.T) {
	high := report.Finding{Rule: "invariant", Severity: report.High, Anomaly: "lost update (P4)"}
	low := report.Finding{Rule: "retry", Severity: report.Low}
	snap := stress.Snapshot{Total: stress.Outcomes{Accepted: 1}, Elapsed: 1500 * time.Millisecond}
	tests := []struct {
		verdict  report.Verdict
		findings []report.Finding
		line     string
	}{
		{report.Clean, nil, "ccheck: clean: nothing found in 1 call, 1.5s, seed 7"},
		{report.Unknown, nil, "ccheck: unknown: nothing found, and too little seen to say that it holds in 1 call, 1.5s, seed 7"},
		{report.Faulty, []report.Finding{high, high, low}, "ccheck: 3 findings (lost update 2, retry 1) in 1 call, 1.5s, seed 7"},
		{report.Faulty, []report.Finding{high, {Rule: "invariant", SameAs: "x"}}, "ccheck: 2 findings (lost update 1, the same race 1) in 1 call, 1.5s, seed 7"},
		{report.Faulty, []report.Finding{low}, "ccheck: 1 finding (retry 1) in 1 call, 1.5s, seed 7"},
	}
	for _, tt := range tests {
		if got := Line(tt.verdict, tt.findings, snap, 7, ""); got != tt.line {
			t.Errorf("line %q, want %q", got, tt.line)
		}
	}
}

// What counts as a conflict is what the judge of contention counts.
func TestProgressCountsConflicts(t *testing.T) {
	p := Progress(stress.Snapshot{Errors: map[string]int64{"40001": 3, "40P01": 2, "23505": 1, "23P01": 1, "23514": 5, "42601": 5}}, 0)
	if p.Evidence.Conflicts != 7 || p.Errors[0].N != 5 || p.Errors[0].Key != "23514" {
		t.Errorf("%d conflicts, errors %v", p.Evidence.Conflicts, p.Errors)
	}
}

// What no look saw broken is called ok in a run that proves something, and
// nowhere else: not beside a finding that needed no contention, and not in a
// history that was cut.
func TestClaimsThatNothingProves(t *testing.T) {
	at := []report.ClaimState{{Name: "a", State: "ok"}, {Name: "b", State: "bad", Bad: 1}, {Name: "c", State: "waiting"}}
	weak, strong := report.Evidence{Calls: 9}, report.Evidence{Calls: 9, Enough: true}
	tests := []struct {
		name     string
		verdict  report.Verdict
		evidence report.Evidence
		want     string
	}{
		{"clean", report.Clean, strong, "ok"},
		{"unknown", report.Unknown, weak, "unproven"},
		{"cut off after enough", report.Unknown, strong, "unproven"},
		{"faulty at once", report.Faulty, weak, "unproven"},
		{"faulty under load", report.Faulty, strong, "ok"},
		{"faulty by a probe that needs no contention", report.Faulty, report.Evidence{}, "ok"},
	}
	for _, tt := range tests {
		got := unproven(slices.Clone(at), driver.Result{Verdict: tt.verdict, Evidence: tt.evidence})
		if got[0].State != tt.want || got[1].State != "bad" || got[2].State != "waiting" {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	all, _ := again(t, func(lines [][]byte) []byte { return join(lines[:15]) })
	for _, c := range all.Summary.Final.Claims {
		if c.State == "ok" {
			t.Errorf("in a cut history: %+v", c)
		}
	}
}
