package check

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// counter is the history of a run that lost updates.
const counter = "../../verdict/testdata/counter.jsonl"

func TestOptions(t *testing.T) {
	tests := []struct {
		args string
		want Options
		err  string
	}{
		{"", Options{Outcome: flags.Outcome{FailOn: "low"}}, ""},
		{"run.jsonl --fail-on high --exit-zero", Options{Files: []string{"run.jsonl"}, Outcome: flags.Outcome{FailOn: "high", ExitZero: true}}, ""},
		{"--fail-on grave", Options{}, `--fail-on "grave" is no severity`},
		{"--format yaml", Options{}, `unknown format "yaml"`},
		{"a b", Options{Files: []string{"a", "b"}, Outcome: flags.Outcome{FailOn: "low"}}, ""},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		var got Options
		err := clitest.Run(t, New(s, func(_ context.Context, o *Options) error { got = *o; return nil }), strings.Fields(tt.args)...)
		if msg := clitest.Of(err).Msg; msg != tt.err {
			t.Errorf("%s: error %q, want %q", tt.args, msg, tt.err)
		}
		if err == nil && (!slices.Equal(got.Files, tt.want.Files) || got.Outcome != tt.want.Outcome) {
			t.Errorf("%s: %+v", tt.args, got)
		}
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		args string
		code int
		out  string
	}{
		{counter, exit.Findings, "lost update"},
		{counter + " --exit-zero", exit.Clean, "lost update"},
		{counter + " --json", exit.Findings, `"verdict": "faulty"`},
		{counter + " --format markdown", exit.Findings, "| # | T1 client "},
	}
	for _, tt := range tests {
		s, b := stdio.Test()
		err := clitest.Run(t, New(s, nil), strings.Fields(tt.args)...)
		if got := clitest.Of(err); exit.Code(err) != tt.code || got.Msg != "" {
			t.Errorf("%s: code %d, error %q", tt.args, exit.Code(err), got.Msg)
		}
		if !strings.Contains(b.Out.String(), tt.out) {
			t.Errorf("%s: %q is not in the result:\n%s", tt.args, tt.out, b.Out.String())
		}
		if b.Err.Len() > 0 {
			t.Errorf("%s: said %q", tt.args, b.Err.String())
		}
	}
}

// A cut history is judged as far as it goes: what was found stands, and without
// a finding it is unknown, never clean.
func TestCutHistory(t *testing.T) {
	text, err := os.ReadFile(counter)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	tests := []struct {
		name string
		text string
		args string
		want clitest.Outcome
	}{
		{"before anything happened", strings.Join(lines[:15], "")[:len(strings.Join(lines[:15], ""))-3], "",
			clitest.Outcome{Code: exit.Unknown, Msg: ":15: the history ends in the middle of a line"}},
		{"the same, not to fail", strings.Join(lines[:15], "")[:len(strings.Join(lines[:15], ""))-3], "--exit-zero",
			clitest.Outcome{Code: exit.Clean, Msg: ":15: the history ends in the middle of a line"}},
		{"behind the violation", string(text) + `{"i":`, "",
			clitest.Outcome{Code: exit.Findings, Msg: ": the history ends in the middle of a line"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.jsonl")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			s, b := stdio.Test()
			err := clitest.Run(t, New(s, nil), append([]string{path}, strings.Fields(tt.args)...)...)
			got := clitest.Of(err)
			if got.Code != tt.want.Code || !strings.Contains(got.Msg, path+":") || !strings.Contains(got.Msg, tt.want.Msg) || got.Hint == "" {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
			if strings.Contains(b.Out.String(), "CLEAN") {
				t.Errorf("a cut history is clean:\n%s", b.Out.String())
			}
		})
	}
}
