// Package explore is the command that runs a few calls of a scenario through
// every interleaving of their statements.
package explore

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/record/tape"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams

	Name      string // of the scenario, or its path
	Variant   string
	Fix       string // folder with scripts of one more version
	Lanes     string
	Isolation flags.Isolation
	Schedule  string
	Save      string
	Replay    string
	Times     int
	Max       int
	MaxRows   int
	MaxTries  int
	Jobs      int
	Real      bool // deadlocks are left to the server
	Full      bool // no schedule is left out
	Keep      bool
	Untried   bool // no ready fix is tried

	App     appFlags
	Place   place.Flags
	Seed    flags.Seed
	Output  output.Flags
	Display display.Flags
	Outcome flags.Outcome

	levels []scenario.Isolation
	tape   *tape.Tape // nil when Name is none
}

const long = `Runs two to four calls of a scenario through every interleaving of their
statements on a real PostgreSQL, one schedule at a time, and judges every
outcome: by the scenario's invariants and, without any specification, by what
the same calls leave when they run one after the other. The schedule that is
shown is the smallest one that breaks.

A step is one statement. BEGIN belongs to the statement after it, COMMIT is a
step, also that of a statement on autocommit which writes. Without --lanes the
lanes are those of the scenario's rounds, else every pair of actors. The version
as it is, those that the scenario calls fixed and that of --fix are run at all
three isolation levels, unless --variant or --isolation says otherwise.

A FILE.spec of PostgreSQL's isolationtester runs as it is, in the permutations
that it names, or in all; --format isolationtester prints what that tool
prints, byte for byte.

A tape of ccheck record is played on the application: of its requests every two
that touch the same rows are run together, those with the highest risk first,
from the state in which they were sent. With --running the application keeps a
database of its own: then every two are sent at one moment instead, again and
again, and what is no finding proves nothing.`

const example = `
# what can go wrong between two transfers, and does the fix hold?
ccheck explore wallet --lanes transfer,transfer

# keep the smallest schedule that breaks, and use it as a test in CI
ccheck explore ./checkout --isolation rc --save double-spend.json
ccheck explore --replay double-spend.json

# two requests of an application, as it is
ccheck explore --app 'npm start' --seed-sql seed.sql --curl 'curl -X POST localhost:3000/orders -d item=1'

# every two requests of a tape that touch the same rows
ccheck explore ccheck.tape --app 'npm start' --seed-sql seed.sql

# a tape of --http-only, where the database cannot be led through a proxy
ccheck explore ccheck.tape --running --reset-cmd 'psql -qf reset.sql staging'

# what isolationtester would print
ccheck explore eval-plan-qual.spec --format isolationtester`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:               "explore [scenario | tape]",
		Short:             "Run every interleaving of a few calls, show the smallest that breaks",
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
			if err := o.stray(cmd.Flags().Changed); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			if o.isSpec() {
				return o.play(cmd.Context())
			}
			switch {
			case o.tape != nil && o.App.Running:
				return runApp(cmd.Context(), o, (*session).fireTape)
			case o.tape != nil:
				return runApp(cmd.Context(), o, (*session).playTape)
			}
			if o.App.Given() {
				return runApp(cmd.Context(), o, (*session).application)
			}
			return run(cmd.Context(), o)
		},
	}
	o.register(cmd)
	return cmd
}

func (o *Options) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Variant, "variant", "", "run this `version` of the scenario and no other")
	f.StringVar(&o.Fix, "fix", "", "run one more version, which has the scripts of this `folder` in place of those of the same file names, and is to be right")
	f.StringVar(&o.Lanes, "lanes", "", "the `actors` that run together, such as transfer,withdraw (default: the scenario's, else every pair)")
	o.Isolation.Register(f, "all three")
	f.StringVar(&o.Schedule, "schedule", "", "run this `order` of steps alone: the lanes' names, such as \"a b b a\"")
	f.StringVar(&o.Save, "save", "", "write the smallest schedule that breaks to this `file`")
	f.StringVar(&o.Replay, "replay", "", "run the schedule of this `file` again, and fail when it breaks")
	f.IntVar(&o.Times, "times", 10, "how often --replay and --schedule run it")
	f.IntVar(&o.Max, "max", 5000, "schedules of one combination at most; above it they are sampled")
	f.IntVar(&o.MaxRows, "max-rows", 2000, "rows that a table may have, since it is read and restored for every schedule")
	f.IntVar(&o.MaxTries, "max-tries", 0, "how often a call is tried when the server answers what its script retries (default: the scenario's, at most 10)")
	f.IntVarP(&o.Jobs, "jobs", "j", 1, "combinations that run at the same time, each in a database of a throw-away server")
	f.BoolVar(&o.Real, "real-deadlocks", false, "let the server end deadlocks after its deadlock_timeout, whichever lane it picks")
	f.BoolVar(&o.Full, "full", false, "run every schedule, also those that cannot differ from another one")
	f.BoolVar(&o.Untried, "no-fixes", false, "do not try ready fixes (a retry, FOR UPDATE, a guard in the WHERE, the constraints of the findings) on what breaks")
	f.BoolVar(&o.Keep, "keep", false, "leave the schema and its tables for inspection")
	o.Outcome.Register(f)
	o.App.register(f)
	o.Display.Register(f)
	o.Place.Register(f)
	o.Seed.Register(f)
	o.Output.Register(f)
}

// resolve checks what can be checked before anything is opened.
func (o *Options) resolve() error {
	if o.isSpec() {
		return o.resolveSpec()
	}
	switch {
	case o.Replay != "" && (o.Schedule != "" || o.Save != "" || o.Lanes != "" || o.Variant != "" || o.Fix != "" || o.Isolation.Text != ""):
		return exit.Usagef("--replay takes lanes, version, level and schedule from its file").WithHint("leave the other flags out")
	case o.Name == "" && o.Replay == "" && !o.App.Given():
		o.Name = "wallet"
	}
	switch {
	case o.Max < 1:
		return exit.Usagef("--max %d is no number of schedules", o.Max).WithHint("it is at least 1; the default is 5000")
	case o.MaxRows < 1:
		return exit.Usagef("--max-rows %d is no number of rows", o.MaxRows).WithHint("it is at least 1; the default is 2000")
	case o.MaxTries < 0:
		return exit.Usagef("--max-tries %d is negative", o.MaxTries).WithHint("it is at least 1; 1 is no retry")
	case o.Times < 1:
		return exit.Usagef("--times %d: a schedule is run at least once", o.Times).WithHint("the default is 10")
	case o.Jobs < 1:
		return exit.Usagef("--jobs %d: at least one combination runs", o.Jobs).WithHint("the default is 1")
	}
	if !o.Seed.Given {
		o.Seed.Value = 1 // the same parameters every time
	}
	if err := o.Isolation.Parse(); err != nil {
		return err
	}
	if o.levels = o.Isolation.Levels; len(o.levels) == 0 {
		o.levels = flags.Levels
	}
	if err := o.openTape(); err != nil {
		return err
	}
	if o.tape == nil {
		if err := o.openApp(); err != nil {
			return err
		}
	}
	switch {
	case o.tape != nil:
		if err := o.resolveTape(); err != nil {
			return err
		}
	case o.App.Given():
		if err := o.resolveApp(); err != nil {
			return err
		}
	}
	for _, check := range []func() error{o.checkSave, o.Place.Check, o.Outcome.Check, o.Display.Check, o.Output.Check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}
