// Package check is the command that judges a stored history again. It makes no
// run and speaks to no server.
package check

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Files   []string // none for the newest history
	Output  output.Flags
	Outcome flags.Outcome
}

const long = `Judges a history that a run recorded, and tells the result as that run did: the
same findings, formats and exit codes. Without a file it takes the newest history
of ccheck's state folder; - is standard input, which is kept there.

A history that ends in the middle, as a crash or a full disk leaves it, is judged
as far as it goes, and is never called clean.

The files of all shards of a run (ccheck stress --shard) are judged as one history,
which is kept in the state folder.`

const example = `
# judge the last run again
ccheck check

# a stored run, as JSON
ccheck check run.jsonl --json

# a run of several machines
ccheck check shard-*.hist`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:               "check [file...]",
		Short:             "Judge a recorded history again",
		Long:              long,
		Example:           example,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: flags.Files("jsonl"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Files = args
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
	o.Output.Register(f)
	return cmd
}

func (o *Options) resolve() error {
	if err := o.Outcome.Check(); err != nil {
		return err
	}
	return o.Output.Check()
}

func run(ctx context.Context, o *Options) (err error) {
	paths := o.Files
	if len(paths) == 0 {
		path, err := verdict.Newest(o.Streams)
		if err != nil {
			return err
		}
		paths = []string{path}
	}
	for i, path := range paths {
		if path != verdict.Stdin {
			continue
		}
		if paths[i], err = verdict.Received(ctx, o.Streams); err != nil {
			return err
		}
	}
	f, err := verdict.OpenAll(o.Streams, paths)
	if err != nil {
		return err
	}
	out, err := o.Output.Open(o.Streams)
	if err != nil {
		return err
	}
	defer out.Close()
	all, damage, err := verdict.Again(ctx, f)
	if err != nil {
		return err
	}
	if err := all.Replay(out); err != nil {
		return err
	}
	return o.outcome(all, damage)
}

// outcome is the exit code of the verdict. What is wrong with the file is told
// beside it and changes no code: the verdict knows of it already.
func (o *Options) outcome(all *output.Recording, damage *exit.Error) error {
	code := o.Outcome.Code(all.Summary.Verdict, all.Findings)
	if damage == nil {
		return exit.Status(code)
	}
	damage.Code = code
	return damage
}
