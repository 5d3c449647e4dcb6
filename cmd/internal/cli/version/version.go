// Package version is the command that says which ccheck this is.
package version

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Info    func() build.Info
	JSON    bool
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	opts := &Options{Streams: s, Info: build.Read}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of ccheck",
		Args:  flags.Args(),
		RunE: func(*cobra.Command, []string) error {
			if runF != nil {
				return runF(opts)
			}
			return run(opts)
		},
	}
	cmd.Flags().BoolVar(&opts.JSON, "json", false, "write a JSON object")
	return cmd
}

func run(opts *Options) error {
	info := opts.Info()
	if opts.JSON {
		return opts.Streams.PrintJSON(info)
	}
	fmt.Fprintln(opts.Streams.Out, info)
	return nil
}
