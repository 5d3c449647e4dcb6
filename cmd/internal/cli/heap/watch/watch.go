// Package watch is the command that takes heap snapshots of a process that runs,
// and judges them.
package watch

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/heapverdict"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Target  string
	Watch   heapverdict.Watching
	Screen  display.Flags
	Output  output.Flags
	NoFail  bool
}

const long = `Takes heap snapshots of a Go or Node process and judges them. The process is named
by its number, by the address of its net/http/pprof, or by that of its inspector;
ccheck opens the inspector of a Node process on this machine itself (SIGUSR1).

Nothing leaks where nothing happens: have the process work while it is watched, the
same between any two snapshots. --load runs a command for that.

What grows evenly may be a cache that has not filled yet. Where that is in doubt,
ccheck makes as much load again, or what is left to a bound that it read in the
source, before one more snapshot, up to --more times.

A Node process stands still for each snapshot and needs ten times its heap in memory.
ccheck says so first, and refuses where its container has less.`

const example = `
# a Go process, seven snapshots in a minute
ccheck heap watch http://localhost:6060

# a Node process, 1000 requests between any two snapshots
ccheck heap watch 4121 --load 'npx autocannon -a 1000 http://localhost:3000/page' --per-request 1000

# load that ccheck makes: its slowest calls are laid beside the pauses of the collector
ccheck heap watch 4121 --load 'ccheck stress ./checkout'

# keep a report for ccheck heap verify
ccheck heap watch 4121 --json -o before.json`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:     "watch <process>",
		Short:   "Take heap snapshots of a running process and judge them",
		Long:    long,
		Example: example,
		Args:    flags.Args("<process>"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Target = args[0]
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
	o.Watch.Register(f)
	f.BoolVar(&o.NoFail, "exit-zero", false, "exit with 0 whatever is found; errors keep their codes")
	o.Screen.Register(f)
	o.Output.Register(f)
	return cmd
}

func (o *Options) resolve() error {
	if err := o.Watch.Check(); err != nil {
		return err
	}
	if err := o.Screen.Check(); err != nil {
		return err
	}
	return o.Output.Check()
}

func run(ctx context.Context, o *Options) error {
	show, err := display.Open(o.Streams, &o.Screen, &o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	var v *heapverdict.Verdict
	err = show.During(ctx, func(ctx context.Context, to report.Sink) error {
		started := time.Now()
		s, err := o.Watch.Take(ctx, show.Streams(), to, "watch", o.Target)
		if err != nil {
			return err
		}
		v = heapverdict.Judge(s, started)
		return v.Tell(to)
	})
	if err != nil || o.NoFail {
		return err
	}
	return v.Status()
}
