package show

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/cli/check"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// counter is the history of a run that lost updates.
const counter = "../../verdict/testdata/counter.jsonl"

func TestOptions(t *testing.T) {
	tests := []struct {
		args string
		want clitest.Outcome
	}{
		{args: "run.jsonl --theme mono"},
		{args: "--theme drak", want: clitest.Outcome{Code: exit.Usage, Msg: `--theme cannot be "drak"`, Hint: "it takes default, high-contrast or mono"}},
		{args: "--theme momo", want: clitest.Outcome{Code: exit.Usage, Msg: `--theme cannot be "momo"`, Hint: `did you mean "mono"?`}},
		{args: "a b", want: clitest.Outcome{Code: exit.Usage, Msg: `show does not take the argument "b"`, Hint: "usage: show [file] [flags]"}},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		ran := false
		err := clitest.Run(t, New(s, func(context.Context, *Options) error { ran = true; return nil }), strings.Fields(tt.args)...)
		if got := clitest.Of(err); got != tt.want || ran != (err == nil) {
			t.Errorf("%s: %+v, want %+v", tt.args, got, tt.want)
		}
	}
}

// shown runs the command and returns what it printed.
func shown(t *testing.T, args ...string) (string, error) {
	t.Helper()
	s, b := stdio.Test()
	err := clitest.Run(t, New(s, nil), args...)
	return b.Out.String(), err
}

// Where no terminal is, a history is told as check tells it, with exit code 0.
func TestShowsAsCheckDoes(t *testing.T) {
	got, err := shown(t, counter)
	if err != nil {
		t.Fatal(err)
	}
	s, b := stdio.Test()
	_ = clitest.Run(t, check.New(s, nil), counter) // its exit code is tested there
	if got != b.Out.String() || !strings.Contains(got, "lost update") {
		t.Errorf("show tells\n%s\ncheck tells\n%s", got, b.Out.String())
	}
}

// A report shows as the history it was made from, whichever JSON it is.
func TestShowsReports(t *testing.T) {
	want, err := shown(t, counter)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"json", "jsonl"} {
		path := filepath.Join(t.TempDir(), "run."+format)
		if _, err := shown(t, counter, "--format", format+":"+path); err != nil {
			t.Fatal(err)
		}
		if got, err := shown(t, path); err != nil || got != want {
			t.Errorf("%s: error %v, shown\n%s\nwant\n%s", format, err, got, want)
		}
	}
}

func TestBadReports(t *testing.T) {
	dir := t.TempDir()
	doc, events := filepath.Join(dir, "run.json"), filepath.Join(dir, "run.jsonl")
	if _, err := shown(t, counter, "--format", "json:"+doc, "--format", "jsonl:"+events); err != nil {
		t.Fatal(err)
	}
	shorten(t, doc, 100)
	shorten(t, events, 20)
	newer := filepath.Join(dir, "newer.json")
	if err := os.WriteFile(newer, []byte(`{"schema":"ccheck/2"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, want string }{
		{doc, "run.json: it ends before its run did"},
		{newer, `newer.json is no report that can be read: its schema is "ccheck/2", and this ccheck reads "ccheck/1"`},
	}
	for _, tt := range tests {
		if _, err := shown(t, tt.path); clitest.Of(err).Code != exit.Usage || !strings.Contains(clitest.Of(err).Msg, tt.want) {
			t.Errorf("%s: %v", tt.path, err)
		}
	}
	// Of events that were cut, what is there is shown, and not as clean.
	got, err := shown(t, events)
	if err != nil || !strings.Contains(got, "lost update") || !strings.Contains(got, "UNKNOWN") {
		t.Errorf("cut events: error %v\n%s", err, got)
	}
}

// shorten takes bytes off the end of a file.
func shorten(t *testing.T, path string, by int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.TrimRight(text, "\n")[:len(text)-by], 0o600); err != nil {
		t.Fatal(err)
	}
}
