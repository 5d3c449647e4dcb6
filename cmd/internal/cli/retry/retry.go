// Package retry is the command that makes the server ask a call for a retry, or
// loses the answer to its COMMIT, and looks what comes of it.
package retry

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/application"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/retry"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams

	Name      string // of the scenario, or its path
	Variant   string
	Faults    []string
	By        string
	Isolation flags.Isolation
	App       application.Flags

	Place   place.Flags
	Seed    flags.Seed
	Output  output.Flags
	Display display.Flags
	Outcome flags.Outcome

	level  scenario.Isolation
	faults []retry.Fault
}

const long = `Makes each call alone, and makes one thing go wrong: the server answers 40001 or
40P01 at a write or at COMMIT, as it does under load; or COMMIT succeeds and its
answer is lost. Then it looks: was it started over, from its reads, and is its
effect there once, in every table and at every stub?

SCENARIO is the name of a built-in scenario, a folder with ccheck.yaml, or a pgbench
script; without one it is payment, which does not start over. Or it is your
application: --app starts it on a throw-away server with a proxy between the two,
and each --curl is a call.`

const example = `
# a payment that nobody starts over, and one that survives everything
ccheck retry
ccheck retry payment/idempotent

# your own scenario, at the level at which 40001 is common
ccheck retry ./checkout --isolation ser

# the same, with a rival that really collides with it
ccheck retry ./checkout --isolation rr --by contention

# your application, and how often it calls its payment provider
ccheck retry --app "node server.js" --stub pay=header:Idempotency-Key --env PAY_URL={{stub pay}} \
  --curl "curl -X POST http://localhost:3000/orders -H 'Idempotency-Key: k1' -d item=1"`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:               "retry [scenario]",
		Short:             "Make the server ask for a retry: is the call done again, and once?",
		Long:              long,
		Example:           example,
		Args:              flags.Args("[SCENARIO]"),
		ValidArgsFunction: flags.Scenarios,
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

func (o *Options) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Variant, "variant", "", "run this `version` of the scenario, such as a fix")
	f.StringSliceVar(&o.Faults, "fault", nil, "what goes wrong: "+strings.Join(names(), ", ")+" (default: all, one after the other)")
	f.StringVar(&o.By, "by", retry.ByInjection, "what brings 40001 and 40P01 about: injection, where a write or COMMIT of the call is answered so, or contention, where a `rival` transaction locks and changes the same rows")
	o.Isolation.Register(f, "the scenario's, else rc")
	o.App.RegisterStart(f, "call", "after each round", "")
	o.Outcome.Register(f)
	o.Display.Register(f)
	o.Place.Register(f)
	o.Seed.Register(f)
	o.Output.Register(f)
}

func names() []string {
	var list []string
	for _, f := range retry.Faults {
		list = append(list, string(f))
	}
	return list
}

// resolve checks what can be checked before anything is opened.
func (o *Options) resolve() error {
	if err := o.parse(); err != nil {
		return err
	}
	if o.Name == "" {
		o.Name = "payment"
	}
	o.faults = nil
	for _, name := range o.Faults {
		if err := flags.Word("--fault", name, names()); err != nil {
			return err
		}
	}
	if err := flags.Word("--by", o.By, []string{retry.ByInjection, retry.ByContention}); err != nil {
		return err
	}
	possible := retry.Faults
	if o.By == retry.ByContention {
		possible = retry.Contended
	}
	for _, f := range retry.Faults {
		asked := slices.Contains(o.Faults, string(f))
		switch {
		case asked && !slices.Contains(possible, f):
			return exit.Usagef("--fault %s does not come of --by contention", f).WithHint("leave it out, or use --by injection")
		case asked || len(o.Faults) == 0 && slices.Contains(possible, f):
			o.faults = append(o.faults, f)
		}
	}
	if err := o.one(); err != nil {
		return err
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
