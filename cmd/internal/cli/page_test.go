package cli

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// TestHelpFitsTheTerminal looks at the help of every command at 80 cells: but for
// examples, which are there to be copied, no line is longer, and each word of
// each description is there, whole.
func TestHelpFitsTheTerminal(t *testing.T) {
	s, _ := stdio.Test()
	every(Root(s), func(cmd *cobra.Command) {
		got := helpAt(80, cmd)
		for line := range strings.SplitSeq(got, "\n") {
			if ansi.StringWidth(line) > 80 && !strings.Contains(cmd.Example, strings.TrimSpace(line)) {
				t.Errorf("%s --help has a line of %d cells: %s", cmd.CommandPath(), ansi.StringWidth(line), line)
			}
		}
		words := strings.Fields(got)
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() && !strings.Contains(strings.Join(words, " "), sub.Short) {
				t.Errorf("%s --help does not say that %s is: %s", cmd.CommandPath(), sub.Name(), sub.Short)
			}
		}
	})
}

// TestHelpKeepsExamplesWhole copies each example from the help.
func TestHelpKeepsExamplesWhole(t *testing.T) {
	s, _ := stdio.Test()
	every(Root(s), func(cmd *cobra.Command) {
		got := helpAt(40, cmd)
		for line := range strings.SplitSeq(strings.TrimSpace(cmd.Example), "\n") {
			if !strings.Contains(got, line) {
				t.Errorf("%s --help cuts an example: %s", cmd.CommandPath(), line)
			}
		}
	})
}

// TestHelpNamesValues shows what a flag takes, without the quotes that mark it in
// the source.
func TestHelpNamesValues(t *testing.T) {
	s, _ := stdio.Test()
	every(Root(s), func(cmd *cobra.Command) {
		if got := helpAt(80, cmd); strings.Contains(got, "`") && !strings.Contains(cmd.Long, "`") {
			t.Errorf("%s --help shows a backquote:\n%s", cmd.CommandPath(), got)
		}
	})
}

// Arguments that are too many or too few are misuse, in our words and with a hint.
func TestArgumentsAreRefused(t *testing.T) {
	s, _ := stdio.Test()
	every(Root(s), func(cmd *cobra.Command) {
		for _, args := range [][]string{nil, strings.Fields(strings.Repeat("x ", 50))} {
			if cmd.Args == nil {
				return
			}
			err := cmd.Args(cmd, args)
			if p := exit.Problems(err); err != nil && (p[0].Code != exit.Usage || p[0].Hint == "") {
				t.Errorf("%s with %d arguments: %v (code %d, hint %q)", cmd.CommandPath(), len(args), err, p[0].Code, p[0].Hint)
			}
		}
	})
}

func every(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, sub := range cmd.Commands() {
		every(sub, f)
	}
}

func helpAt(width int, cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag()
	p := &page{width: width}
	p.command(cmd)
	return p.b.String()
}
