// Package schema is the command that prints the JSON Schema of a configuration.
package schema

import (
	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/config"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Root    *cobra.Command
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of .ccheck.yaml, for editors",
		Example: "ccheck config schema > ccheck.schema.json",
		Args:    flags.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts := &Options{Streams: s, Root: cmd.Root()}
			if runF != nil {
				return runF(opts)
			}
			return run(opts)
		},
	}
}

func run(opts *Options) error {
	text, err := config.Schema(opts.Root)
	if err != nil {
		return err
	}
	if _, err := opts.Streams.Out.Write(text); err != nil {
		return exit.Failedf("cannot write the schema: %w", err)
	}
	return nil
}
