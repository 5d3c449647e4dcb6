package cli

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// helpCommand is `ccheck help [command]`, with our words for an unknown one.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Show the help of a command",
		Args:  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return noCommand(cmd, slices.Concat(rest, args)[0])
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}
}

// help is what --help writes, as wide as the terminal and no wider than is good
// to read.
func help(s *stdio.Streams, global *flags.Global) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, _ []string) {
		s.SetColor(global.Color)
		p := &page{width: min(s.Width(), widest), bold: s.Color}
		p.command(cmd)
		_, _ = io.WriteString(s.Out, p.b.String()) // Main finds out by itself
	}
}

// unfailing is where cobra writes the version. It takes an error of writing for a
// misused flag; Main finds the error by itself.
type unfailing struct{ io.Writer }

func (w unfailing) Write(p []byte) (int, error) {
	_, _ = w.Writer.Write(p)
	return len(p), nil
}
