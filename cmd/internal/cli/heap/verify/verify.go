// Package verify is the command that looks whether a fix ended a leak: the same
// judgement again, compared with a report from before.
package verify

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/heapverdict"
	"github.com/ccheck/ccheck/cmd/internal/input"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/output/json"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/heap"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Targets []string // a process, or snapshots
	Base    string
	Watch   heapverdict.Watching
	Screen  display.Flags
	Output  output.Flags
}

const long = `Judges the fixed process, or snapshots of it, and compares with the report of the run
that found the leak: each leak is gone, slower, or still there. The report is one
that ccheck heap watch or diff wrote with --json.

The exit code is 0 only when every leak is gone, no new one came, and the process
worked while it was watched. Do the same work as before: a leak per request does
not show without requests.`

const example = `
ccheck heap watch 4121 --load ./load.sh --json -o before.json
ccheck heap verify --base before.json 5230 --load ./load.sh`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:     "verify <process | snapshot snapshot...>",
		Short:   "See whether a fix ended a leak",
		Long:    long,
		Example: example,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Targets = args
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
	f.StringVar(&o.Base, "base", "", "report of the run that found the leak, a `file` written with --json (needed)")
	o.Watch.Register(f)
	o.Screen.Register(f)
	o.Output.Register(f)
	return cmd
}

func (o *Options) resolve() error {
	switch {
	case o.Base == "":
		return exit.Usagef("ccheck heap verify needs --base, the report from before the fix").
			WithHint("ccheck heap watch --json -o before.json writes one")
	case len(o.Targets) == 0:
		return exit.Usagef("ccheck heap verify needs a process or its snapshots").WithHint("usage: ccheck heap verify --base before.json <process | snapshot snapshot...>")
	}
	if err := o.Watch.Check(); err != nil {
		return err
	}
	if err := o.Screen.Check(); err != nil {
		return err
	}
	return o.Output.Check()
}

func run(ctx context.Context, o *Options) error {
	before, err := base(o.Base)
	if err != nil {
		return err
	}
	show, err := display.Open(o.Streams, &o.Screen, &o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	var v *heapverdict.Verdict
	err = show.During(ctx, func(ctx context.Context, to report.Sink) error {
		started := time.Now()
		s, err := o.take(ctx, show.Streams(), to)
		if err != nil {
			return err
		}
		v = heapverdict.Judge(s, started)
		v.Compare(before)
		return v.Tell(to)
	})
	if err != nil {
		return err
	}
	return v.Status()
}

// take watches a process, or reads snapshots where several files are named.
func (o *Options) take(ctx context.Context, s *stdio.Streams, to report.Sink) (*series.Series, error) {
	if o.Targets = heap.Snapshots(o.Targets); len(o.Targets) == 1 {
		return o.Watch.Take(ctx, s, to, "verify", o.Targets[0])
	}
	if err := input.Check(o.Targets...); err != nil {
		return nil, err
	}
	files := &heap.Files{Paths: o.Targets, Work: o.Watch.Work, Workers: runtime.GOMAXPROCS(0)}
	all, err := files.Read(ctx)
	if err != nil {
		return nil, heapverdict.Error(err)
	}
	return all, to.Begin(heapverdict.Run("verify", heapverdict.Server(all), all.Target, time.Now()))
}

// base reads the report from before.
func base(path string) (*report.Heap, error) {
	f, err := input.Open(path)
	var own *exit.Error
	switch {
	case errors.As(err, &own):
		return nil, fmt.Errorf("--base: %w", own)
	case err != nil:
		return nil, exit.Usagef("--base %s cannot be read: %w", path, err).WithHint("name a report that ccheck heap watch --json -o FILE wrote")
	}
	defer f.Close()
	doc, err := json.Read(f)
	if err != nil {
		return nil, exit.Usagef("--base %s is no report of ccheck: %w", path, err).WithHint("name a report that ccheck heap watch --json -o FILE wrote")
	}
	if doc.Summary.Heap == nil {
		return nil, exit.Usagef("--base %s is a report of ccheck %s, not of a heap", path, doc.Run.Probe).WithHint("name a report that ccheck heap watch --json -o FILE wrote")
	}
	return doc.Summary.Heap, nil
}
