// Package doctor is the command that says whether a run could start here and on
// the server that is named, and what would spoil its figures. It writes nothing
// on the server.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/target"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Target  flags.Target
	JSON    bool
}

// check is one line in the JSON output.
type check struct {
	Name  string       `json:"name"`
	State target.State `json:"state"` // ok, warn, bad
	Text  string       `json:"text"`
	Mend  string       `json:"mend,omitempty"`
}

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look at this machine and the server before a run",
		Long: "Doctor says which PostgreSQL a throw-away server would be, and looks at the server that --dsn or the PG* variables name: " +
			"rights, connections, the settings that matter, what earlier runs left. It writes nothing. Exit code 3 means that a run could not start.",
		Example: "ccheck doctor\nccheck doctor --dsn env:STAGING",
		Args:    flags.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return run(cmd.Context(), opts)
		},
	}
	opts.Target.Register(cmd.Flags())
	cmd.Flags().BoolVar(&opts.JSON, "json", false, "write a JSON array of name, state, text and mend")
	return cmd
}

func run(ctx context.Context, opts *Options) error {
	t, err := find(opts)
	if err != nil {
		return err
	}
	checks := []check{{Name: "ccheck", State: target.OK, Text: build.Read().String()}}
	for _, c := range target.Doctor(ctx, t, target.NewRun(build.Version(), time.Now()), target.DefaultSettings()) {
		checks = append(checks, check{c.Name, c.State, c.Text, c.Mend})
	}
	if err := print(opts, checks); err != nil {
		return err
	}
	for _, c := range checks {
		if c.State == target.Bad {
			return exit.Status(exit.Failed)
		}
	}
	return nil
}

// find is the server, nil when none is named: then the machine alone is looked
// at.
func find(opts *Options) (*target.Target, error) {
	t, err := opts.Target.Find(opts.Streams)
	var known *target.Error
	if errors.As(err, &known) && known.Kind == target.NoTarget {
		return nil, nil
	}
	return t, err
}

func print(opts *Options, checks []check) error {
	if opts.JSON {
		return opts.Streams.PrintJSON(checks)
	}
	width := 0
	for _, c := range checks {
		width = max(width, len(c.Name))
	}
	for _, c := range checks {
		fmt.Fprintf(opts.Streams.Out, "%-4s  %-*s  %s\n", c.State, width, c.Name, c.Text)
		if c.Mend != "" {
			fmt.Fprintf(opts.Streams.Out, "%*s%s\n", width+8, "", c.Mend)
		}
	}
	return nil
}
