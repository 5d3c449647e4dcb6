// Package report is the command that tells a stored run in other formats. It
// makes no run, speaks to no server, and opens no screen.
package report

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/baseline"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/stored"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
)

// Options are what the command is run with.
type Options struct {
	Streams  *stdio.Streams
	File     string // "" for the newest history
	Judge    bool   // the exit code is that of the verdict
	Output   output.Flags
	Baseline baseline.Flags
	Outcome  flags.Outcome
}

const long = `Tells a stored run in any format, or in several at once: a report that --format
json or jsonl wrote, or a history, which is judged first. Without a file it takes
the newest history of ccheck's state folder; - is standard input.

Converting is no judgement: the exit code is 0 whatever was found, unless --fail-on
is given. With --baseline it leaves out what was known before.`

const example = `
# a page to send to somebody, and the file for the build server
ccheck report run.json --format html:run.html --format junit:run.xml

# fail on what is new and grave
ccheck report run.json --baseline known.json --fail-on high`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:               "report [file]",
		Short:             "Convert a stored run to other formats",
		Long:              long,
		Example:           example,
		Args:              flags.Args("[FILE]"),
		ValidArgsFunction: flags.Files("jsonl", "json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.File = args[0]
			}
			o.Judge = cmd.Flags().Changed("fail-on")
			if err := o.resolve(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	o.Outcome.Register(f)
	o.Baseline.Register(f)
	o.Output.Register(f)
	return cmd
}

func (o *Options) resolve() error {
	if err := o.Outcome.Check(); err != nil {
		return err
	}
	if err := o.Baseline.Check(); err != nil {
		return err
	}
	return o.Output.Check()
}

func run(ctx context.Context, o *Options) (err error) {
	path := o.File
	if path == "" {
		if path, err = verdict.Newest(o.Streams); err != nil {
			return err
		}
	}
	known, err := o.Baseline.Read()
	if err != nil {
		return err
	}
	all, damage, err := stored.LoadNamed(ctx, o.Streams, path)
	if err != nil {
		return err
	}
	if damage != nil {
		o.Streams.Warnf("%s", damage.Msg)
	}
	var notes []string
	if all.Findings, notes, err = o.Baseline.Apply(known, all.Findings); err != nil {
		return err
	}
	all.Summary.Notes = append(all.Summary.Notes, notes...)
	out, err := o.Output.Open(o.Streams)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := all.Replay(out); err != nil {
		return err
	}
	if !o.Judge {
		return nil
	}
	return exit.Status(o.Outcome.Code(all.Summary.Verdict, all.Findings))
}
