// Package queue is the command that runs a job queue with workers that die, and
// counts what they did.
package queue

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/queue"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams

	Name     string // of a kind, of a scenario, or its path; "" is every kind
	URL      string
	Workers  int
	Jobs     int
	Kills    int
	Patience time.Duration

	Place   place.Flags
	Seed    flags.Seed
	Output  output.Flags
	Display display.Flags
	Outcome flags.Outcome
}

const long = `Runs a job queue: producers add jobs, workers claim and do them, some workers are
killed in the middle. What a job does is counted outside of the database, by its
key; then it is known which jobs were lost, and which were done twice.

Without a name it runs nine kinds on a throw-away server: six as they are found in
the wild, three that hold. KIND is one of them; SCENARIO is a queue of yours, and
--url that of an application with three endpoints. ` + "`ccheck explain queue`" + ` tells what
they have to look like.`

const example = `
# nine queues, and which of them hold
ccheck queue

# the claim in one statement, with more workers
ccheck queue one-statement --workers 30

# your own, on your own server
ccheck queue ./jobs --dsn env:STAGING_DSN --patience 30s

# an application with POST /enqueue, /claim and /ack
ccheck queue --url http://localhost:3000/jobs`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:               "queue [kind | scenario]",
		Short:             "Run a job queue with workers that die: is each job done, and once?",
		Long:              long,
		Example:           example,
		Args:              flags.Args("[KIND]"),
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Name = args[0]
			}
			if err := o.resolve(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	o.register(cmd)
	return cmd
}

func complete(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return kinds(), cobra.ShellCompDirectiveDefault
}

func kinds() []string {
	var names []string
	for _, k := range queue.Kinds {
		names = append(names, k.Name)
	}
	return names
}

func (o *Options) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.URL, "url", "", "the `address` of an application with /enqueue, /claim and /ack below it, or env:NAME of a variable that has it")
	f.IntVarP(&o.Workers, "workers", "c", 8, "workers, one connection each")
	f.IntVar(&o.Jobs, "jobs", 200, "jobs that are added in all")
	f.IntVar(&o.Kills, "kills", 6, "workers that are killed, right before and right after the effect of a job in turn")
	f.DurationVar(&o.Patience, "patience", 2*time.Second, "how long nothing may be done before the rest of the jobs is given up: longer than a visibility time-out")
	o.Outcome.Register(f)
	o.Display.Register(f)
	o.Place.Register(f)
	o.Seed.Register(f)
	o.Output.Register(f)
}

// resolve checks what can be checked before anything is opened.
func (o *Options) resolve() error {
	switch {
	case o.Workers < 1 || o.Workers > 60:
		return exit.Usagef("--workers %d is no number of workers", o.Workers).WithHint("it is from 1 to 60; a race needs two or more")
	case o.Jobs < 1 || o.Jobs > 100_000:
		return exit.Usagef("--jobs %d is no number of jobs", o.Jobs).WithHint("it is from 1 to 100000; the default is 200")
	case o.Kills < 0 || 2*o.Kills > o.Jobs:
		return exit.Usagef("--kills %d does not go with --jobs %d: at most every second job can cost a worker", o.Kills, o.Jobs).WithHint("lower --kills, or raise --jobs")
	case o.Patience < 500*time.Millisecond:
		return exit.Usagef("--patience %v is too short to tell a lost job from one that is late", o.Patience).WithHint("it is at least 500ms, and longer than any visibility time-out; the default is 2s")
	case o.URL != "" && o.Name != "":
		return exit.Usagef("--url names an application, and %s a queue in a database", flags.Shown(o.Name)).WithHint("leave one of them out")
	case o.URL != "" && (o.Place.Target.DSN != "" || o.Place.Target.DSNFile != "" || o.Place.Target.UseDatabaseURL):
		return exit.Usagef("a PostgreSQL was named, and --url is an application").WithHint("leave one of them out")
	}
	for _, check := range []func() error{o.Place.Check, o.Outcome.Check, o.Display.Check, o.Output.Check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}
