package report

import (
	"context"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// counter is the history of a run that lost updates.
const counter = "../../verdict/testdata/counter.jsonl"

func TestOptions(t *testing.T) {
	tests := []struct {
		args  string
		judge bool
		want  clitest.Outcome
	}{
		{args: "run.json --format html:a.html"},
		{args: "run.json --fail-on low", judge: true},
		{args: "--fail-on grave", want: clitest.Outcome{Code: exit.Usage, Msg: `--fail-on "grave" is no severity`, Hint: "it takes low, medium or high"}},
		{args: "--baseline nosuch", want: clitest.Outcome{Code: exit.Usage, Msg: "there is no baseline nosuch", Hint: "--write-baseline nosuch makes one of what is found now"}},
		{args: "a b", want: clitest.Outcome{Code: exit.Usage, Msg: `report does not take the argument "b"`, Hint: "usage: report [file] [flags]"}},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		ran := false
		err := clitest.Run(t, New(s, func(_ context.Context, o *Options) error { ran = o.Judge == tt.judge; return nil }), strings.Fields(tt.args)...)
		if got := clitest.Of(err); got != tt.want || ran != (err == nil) {
			t.Errorf("%s: %+v, want %+v", tt.args, got, tt.want)
		}
	}
}

// A history is judged first, and its verdict is the exit code where that is
// asked for.
func TestHistory(t *testing.T) {
	for args, code := range map[string]int{"--format junit": exit.Clean, "--format junit --fail-on high": exit.Findings} {
		s, b := stdio.Test()
		err := clitest.Run(t, New(s, nil), append([]string{counter}, strings.Fields(args)...)...)
		if exit.Code(err) != code || !strings.Contains(b.Out.String(), "lost update") {
			t.Errorf("%s: %v, want code %d\n%s", args, err, code, b.Out.String())
		}
	}
}
