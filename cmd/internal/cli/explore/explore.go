// Package explore is the command that runs a few calls of a scenario through
// every interleaving of their statements.
package explore

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams

	Name      string // of the scenario, or its path
	Variant   string
	Lanes     string
	Isolation string
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
	FailOn  string
	NoFail  bool

	levels []scenario.Isolation
}

const long = `Runs two to four calls of a scenario through every interleaving of their
statements on a real PostgreSQL, one schedule at a time, and judges every
outcome: by the scenario's invariants and, without any specification, by what
the same calls leave when they run one after the other. The schedule that is
shown is the smallest one that breaks.

A step is one statement. BEGIN belongs to the statement after it, COMMIT is a
step. Without --lanes the lanes are those of the scenario's rounds, else every
pair of actors. The version as it is and those that the scenario calls fixed
are run at all three isolation levels, unless --variant or --isolation says
otherwise.

A FILE.spec of PostgreSQL's isolationtester runs as it is, in the permutations
that it names, or in all; --format isolationtester prints what that tool
prints, byte for byte.`

const example = `
# what can go wrong between two transfers, and does the fix hold?
ccheck explore wallet --lanes transfer,transfer

# keep the smallest schedule that breaks, and use it as a test in CI
ccheck explore ./checkout --isolation rc --save double-spend.json
ccheck explore --replay double-spend.json

# what isolationtester would print
ccheck explore eval-plan-qual.spec --format isolationtester`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:               "explore [scenario]",
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
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			if o.isSpec() {
				return o.play(cmd.Context())
			}
			if o.App.given() {
				return runApp(cmd.Context(), o)
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
	f.StringVar(&o.Lanes, "lanes", "", "the `actors` that run together, such as transfer,withdraw (default: the scenario's, else every pair)")
	f.StringVar(&o.Isolation, "isolation", "", "isolation levels to run at: rc, rr, ser (default: all three)")
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
	f.BoolVar(&o.Untried, "no-fixes", false, "do not try ready fixes (a retry, FOR UPDATE on what is read) on what breaks")
	f.BoolVar(&o.Keep, "keep", false, "leave the schema and its tables for inspection")
	f.StringVar(&o.FailOn, "fail-on", string(report.Low), "least severity that makes the exit code 1: low, medium or high")
	f.BoolVar(&o.NoFail, "exit-zero", false, "exit with 0 whatever is found; errors keep their codes")
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
	case o.Replay != "" && (o.Schedule != "" || o.Save != "" || o.Lanes != "" || o.Variant != "" || o.Isolation != ""):
		return exit.Usagef("--replay takes lanes, version, level and schedule from its file").WithHint("leave the other flags out")
	case o.Name == "" && o.Replay == "" && !o.App.given():
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
	case report.Severity(o.FailOn).Rank() == 0:
		return exit.Usagef("--fail-on %q is no severity", o.FailOn).WithHint("it takes low, medium or high")
	}
	if !o.Seed.Given {
		o.Seed.Value = 1 // the same parameters every time
	}
	if err := o.parseLevels(); err != nil {
		return err
	}
	if o.App.given() {
		if err := o.resolveApp(); err != nil {
			return err
		}
	}
	if err := o.Display.Check(); err != nil {
		return err
	}
	return o.Output.Check()
}

// levelNames are the words for the isolation levels.
var levelNames = map[string]scenario.Isolation{
	"rc": scenario.ReadCommitted, "rr": scenario.RepeatableRead, "ser": scenario.Serializable,
	"read committed": scenario.ReadCommitted, "repeatable read": scenario.RepeatableRead, "serializable": scenario.Serializable,
}

// levels are all isolation levels, weakest first.
var levels = []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable}

func (o *Options) parseLevels() error {
	if o.Isolation == "" || o.Isolation == "all" {
		o.levels = levels
		return nil
	}
	for word := range strings.SplitSeq(o.Isolation, ",") {
		level, ok := levelNames[strings.ToLower(strings.TrimSpace(word))]
		if !ok {
			return exit.Usagef("--isolation %q is no isolation level", word).WithHint("it takes rc, rr, ser, or several joined by commas, or all")
		}
		o.levels = append(o.levels, level)
	}
	return nil
}
