package completion

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func TestOptions(t *testing.T) {
	s, _ := stdio.Test()
	var got Options
	cmd := New(s, func(o *Options) error { got = *o; return nil })
	if err := clitest.Run(t, cmd, "zsh"); err != nil || got.Shell != "zsh" || got.Root != cmd {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestEveryShellGetsItsScript(t *testing.T) {
	root := &cobra.Command{Use: "ccheck"}
	for _, name := range names() {
		s, b := stdio.Test()
		if err := run(&Options{Streams: s, Root: root, Shell: name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := b.Out.String(); !strings.Contains(got, name) || !strings.Contains(got, "ccheck") {
			t.Errorf("%s: the script is %q", name, got)
		}
	}
	s, _ := stdio.Test()
	want := clitest.Outcome{Code: exit.Usage, Msg: `no completion for the shell "tcsh"`, Hint: "the shells are bash, fish, powershell, zsh"}
	if got := clitest.Of(run(&Options{Streams: s, Root: root, Shell: "tcsh"})); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
