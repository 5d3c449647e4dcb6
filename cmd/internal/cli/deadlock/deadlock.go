// Package deadlock is the command that makes transactions wait for each other,
// or watches a server for those that do, and tells the whole story.
package deadlock

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/deadlock"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams

	Name      string // of a shape, of a scenario, or its path; "" is every shape
	Variant   string
	Lanes     string // a number, or the actors of a scenario
	Load      bool
	Clients   int
	Duration  time.Duration
	Isolation flags.Isolation
	Max       int

	Place   place.Flags
	Seed    flags.Seed
	Output  output.Flags
	Display display.Flags
	Outcome flags.Outcome

	level scenario.Isolation
}

const long = `Makes transactions wait for each other in a circle, and tells every side of it:
all statements that each ran before, who holds what the next one waits for, which
order of locks leaves no circle, and whether whoever was rolled back started over.

Without a name it runs five shapes as they are commonly written, and their cures
beside them. SHAPE is one of transfer, cycle, foreign-key, upgrade and advisory;
SCENARIO is one of yours, of which every pair of calls is run, or those of --lanes.
Every interleaving is run, on a throw-away server unless one is named; --stress runs
the lanes at full speed instead.

ccheck deadlock watch looks at a live server instead, and writes nothing.`

const example = `
# five ways into a deadlock, and what cures each
ccheck deadlock

# a ring of five transfers, and the order that opens it
ccheck deadlock cycle --lanes 5
ccheck deadlock cycle --variant ordered

# two calls of your own
ccheck deadlock ./checkout --lanes pay,refund

# what waits on a live server, for ten minutes
ccheck deadlock watch --dsn env:STAGING_DSN --duration 10m`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:               "deadlock [shape | scenario]",
		Short:             "Make transactions wait for each other, and tell why and what cures it",
		Long:              long,
		Example:           example,
		Args:              flags.Args("[SHAPE]"),
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
	cmd.AddCommand(newWatch(s, nil))
	return cmd
}

func complete(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return append(shapes(), flags.ScenarioNames()...), cobra.ShellCompDirectiveDefault
}

func shapes() []string {
	var names []string
	for _, s := range deadlock.Shapes {
		names = append(names, s.Name)
	}
	return names
}

func (o *Options) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Variant, "variant", "", "run this `version` alone, such as a cure")
	f.StringVar(&o.Lanes, "lanes", "", "how many `lanes` a shape has, or which actors of a scenario run together, such as pay,refund")
	f.BoolVar(&o.Load, "stress", false, "run the lanes at full speed and leave deadlocks to the server, instead of every interleaving")
	f.IntVarP(&o.Clients, "clients", "c", 16, "lanes of --stress, one connection each")
	f.DurationVar(&o.Duration, "duration", 3*time.Second, "how long --stress runs each version")
	o.Isolation.Register(f, "rc")
	f.IntVar(&o.Max, "max", 2000, "schedules of one combination at most")
	o.Outcome.Register(f)
	o.Display.Register(f)
	o.Place.Register(f)
	o.Seed.Register(f)
	o.Output.Register(f)
}

// resolve checks what can be checked before anything is opened.
func (o *Options) resolve() error {
	switch {
	case o.Clients < 2 || o.Clients > 64:
		return exit.Usagef("--clients %d: a deadlock takes two lanes or more, and 64 are plenty", o.Clients).WithHint("the default is 16")
	case o.Duration <= 0:
		return exit.Usagef("--duration %v: a load needs some time", o.Duration).WithHint("write it as 3s or 1m")
	case o.Max < 1:
		return exit.Usagef("--max %d is no number of schedules", o.Max).WithHint("it is at least 1; the default is 2000")
	case strings.Contains(o.Isolation.Text, ",") || o.Isolation.Text == "all":
		return exit.Usagef("--isolation %s: one level at a time", o.Isolation.Text).WithHint("locks are the same at all of them; the default is rc")
	}
	if err := o.Isolation.Parse(); err != nil {
		return err
	}
	if o.level = scenario.ReadCommitted; len(o.Isolation.Levels) > 0 {
		o.level = o.Isolation.Levels[0]
	}
	if !o.Seed.Given {
		o.Seed.Value = 1 // the same parameters every time
	}
	for _, check := range []func() error{o.Place.Check, o.Outcome.Check, o.Display.Check, o.Output.Check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}
