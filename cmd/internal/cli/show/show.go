// Package show is the command that shows a stored run: a history, which it
// judges, or a report. It makes no run and speaks to no server.
package show

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/stored"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	File    string // "" for the newest history
	Output  output.Flags
	Display display.Flags
}

const long = `Shows a stored run on the full screen, or as text where there is no terminal: a
history, which is judged first, or a report that --format json or jsonl wrote.
Without a file it takes the newest history of ccheck's state folder; - is standard
input.

It shows and does not pass judgement: the exit code is 0 whatever was found.
` + "`ccheck check`" + ` has the exit codes for a build.`

const example = `
# look at the last run again
ccheck show

# the two lanes for an issue
ccheck show run.jsonl --format markdown`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:               "show [file]",
		Short:             "Show a stored run",
		Long:              long,
		Example:           example,
		Args:              flags.Args("[FILE]"),
		ValidArgsFunction: flags.Files("jsonl", "json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.File = args[0]
			}
			if err := o.Display.Check(); err != nil {
				return err
			}
			if err := o.Output.Check(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	o.Display.Register(f)
	o.Output.Register(f)
	return cmd
}

func run(ctx context.Context, o *Options) (err error) {
	path := o.File
	if path == "" {
		if path, err = verdict.Newest(o.Streams); err != nil {
			return err
		}
	}
	all, damage, err := stored.LoadNamed(ctx, o.Streams, path)
	if err != nil {
		return err
	}
	if damage != nil {
		o.Streams.Warnf("%s", damage.Msg)
	}
	shown, err := display.Open(o.Streams, &o.Display, &o.Output)
	if err != nil {
		return err
	}
	defer shown.Close()
	return shown.Stored(ctx, all)
}
