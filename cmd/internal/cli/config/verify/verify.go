// Package verify is the command that finds what is wrong with the files of a
// configuration.
package verify

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/config"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Root    *cobra.Command
	Where   config.Where
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Find what is wrong with .ccheck.yaml, by line and column",
		Long: "Verify reads .ccheck.yaml of the repository and config.yaml of the user, and tries every value on the flag that it is for. " +
			"Every fault is told with file, line and column; exit code 2, or 5 when a file asks for what only the command line may.",
		Example: "ccheck config verify",
		Args:    flags.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts := &Options{Streams: s, Root: cmd.Root(), Where: config.Here(cmd, s.Env)}
			if runF != nil {
				return runF(opts)
			}
			return run(opts)
		},
	}
}

func run(opts *Options) error {
	found, err := config.Load(opts.Where)
	if err = errors.Join(err, found.Check(opts.Root, true)); err != nil {
		return err
	}
	if len(found.Files) == 0 {
		fmt.Fprintf(opts.Streams.Out, "there is no %s here or above in the repository, and no config.yaml of the user: the defaults hold\n", config.File)
	}
	for _, name := range found.Files {
		fmt.Fprintf(opts.Streams.Out, "%s: ok\n", name)
	}
	return nil
}
