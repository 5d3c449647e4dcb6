// Package check is the command that says whether a scenario is right, without
// a server.
package check

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Open    func(string) (*scenario.Scenario, error)
	Names   []string
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	opts := &Options{Streams: s, Open: flags.AnyScenario}
	return &cobra.Command{
		Use:   "check <scenario>...",
		Short: "Check scenarios without running them",
		Long: "Check reads scenarios and everything in them, and reports every fault with file, line and column. " +
			"It needs no server, so it does not see what only the server knows: tables and columns.",
		Args:              some,
		ValidArgsFunction: flags.Scenarios,
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Names = args
			if runF != nil {
				return runF(opts)
			}
			return run(opts)
		},
	}
}

func some(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return exit.Usagef("%s needs <scenario>", cmd.CommandPath()).WithHint("usage: %s", cmd.UseLine())
	}
	return nil
}

func run(opts *Options) error {
	var errs []error
	for _, name := range opts.Names {
		sc, err := opts.Open(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		actors := len(sc.Actors)
		if sc.App != nil {
			actors = len(sc.Names())
		}
		fmt.Fprintf(opts.Streams.Out, "%s: ok (%s, %s, %s)\n", sc.FullName(),
			count(actors, "actor"), count(len(sc.Invariants), "invariant"), count(len(sc.Variants())+1, "version"))
	}
	return errors.Join(errs...)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
