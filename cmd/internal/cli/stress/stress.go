// Package stress is the command that runs a scenario at full speed and judges
// what was recorded.
package stress

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/application"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stress"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams

	Name    string // of the scenario, or its path
	Variant string
	Compare bool
	Plan    bool
	Keep    bool
	Shard   string // "2/4"
	Meet    string

	App     application.Flags
	HTTP2   bool
	MaxRows int // of a table of an application
	Place   place.Flags
	Seed    flags.Seed
	Output  output.Flags
	Outcome flags.Outcome
	Display display.Flags
	History string
	Replica string
	Limit   int64 // MiB

	Clients       int
	ClientsGiven  bool
	DurationGiven bool
	TriesGiven    bool
	Duration      time.Duration
	Transactions  int64
	Rate          float64
	Think         string
	Isolation     flags.Isolation
	Protocol      string
	Scale         int
	MaxTries      int
	CheckEvery    time.Duration
	Define        []string

	think scenario.Think
	vars  []scenario.Param
	shard *stress.Shard // nil for none
}

const long = `Runs a scenario at full speed: many lanes, one connection each, every statement
recorded; then judges the record and explains what broke as two lanes with
values.

SCENARIO is the name of a built-in scenario (ccheck scenario list), a folder
with ccheck.yaml, or a pgbench script; without one it is wallet. Without a
server named by a flag, CCHECK_DSN, PGHOST, PGHOSTADDR or PGSERVICE, ccheck
starts a throw-away PostgreSQL of its own and removes it afterwards.

On your own server ccheck works in a schema that it creates and drops, and
touches nothing else. --plan shows what it would do.

With --app and --curl, or a scenario with an app, requests are sent to an
application that runs on a throw-away PostgreSQL behind ccheck's proxy. Each
client has its own connection; all of its request but the last byte is sent, and
the last bytes of all clients follow together. A request is first repeated alone
until it is refused, and rounds begin just before that: where one after the other
one is accepted, two at once are a race, and no invariant has to be written.`

const example = `
# a naive wallet loses money, on a throw-away server
ccheck stress wallet

# which fix holds, and what does it cost?
ccheck stress wallet --compare

# load from four machines: on each of them, with its own number
ccheck stress ./checkout --shard 1/4 --seed 7 --dsn env:STAGING_DSN

# ten clients take the last seat at one moment, in an application as it is
ccheck stress --app 'npm start' --port 3000 --seed-sql seed.sql --curl 'curl -X POST localhost:3000/book -d seat=7' --clients 10

# your own scenario on your own server, at two isolation levels
ccheck stress ./checkout --dsn "host=localhost dbname=shop_test" --isolation rc,ser`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:               "stress [scenario]",
		Short:             "Run a scenario at full speed, find what breaks and explain it",
		Long:              long,
		Example:           example,
		Args:              flags.Args("[SCENARIO]"),
		ValidArgsFunction: flags.Scenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Name = args[0]
			}
			o.ClientsGiven = cmd.Flags().Changed("clients")
			o.TriesGiven = cmd.Flags().Changed("max-tries")
			if err := o.resolve(cmd.Flags().Changed); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			if o.App.Given() {
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
	f.StringVar(&o.Variant, "variant", "", "run this `version` of the scenario, such as a fix")
	f.BoolVar(&o.Compare, "compare", false, "run every version at every isolation level and print one table")
	f.BoolVar(&o.Plan, "plan", false, "show what would be done, and send nothing that writes")
	f.BoolVar(&o.Keep, "keep", false, "leave the schema and its tables for inspection")
	f.IntVarP(&o.Clients, "clients", "c", 0, "number of lanes, one connection each (default: the scenario's)")
	f.DurationVarP(&o.Duration, "duration", "T", 10*time.Second, "how long the lanes run")
	f.Int64VarP(&o.Transactions, "transactions", "t", 0, "calls of each lane, or rounds (default: no limit but the duration)")
	f.Float64Var(&o.Rate, "rate", 0, "calls per second in all, latencies from when each was due (default: as fast as the server answers)")
	f.StringVar(&o.Think, "think", "", "pause between two statements of a call, such as 0-5ms: the time an application takes")
	o.Isolation.Register(f, "the scenario's, else rc")
	f.StringVarP(&o.Protocol, "protocol", "M", string(pg.Prepared), "simple, extended or prepared, as pgbench -M")
	f.IntVarP(&o.Scale, "scale", "s", 1, "value of :scale in scripts")
	f.IntVar(&o.MaxTries, "max-tries", 0, "how often a call is tried when the server answers what its script retries (default: the scenario's, else 10)")
	f.StringArrayVarP(&o.Define, "define", "D", nil, "set a variable of the scripts: `name=value`")
	f.DurationVar(&o.CheckEvery, "check-every", 500*time.Millisecond, "pause between two looks at the invariants")
	f.StringVar(&o.Replica, "replica", "", "a replica of the server for statements after -- @on replica: a `URL`, key=value pairs or env:NAME")
	f.StringVar(&o.Shard, "shard", "", "run this `part` of the lanes, such as 2/4, while other processes run the others")
	f.StringVar(&o.Meet, "meet", "shards", "`name` under which the shards of one run find each other in the database")
	f.StringVar(&o.History, "history", "", "write the history to this `file` (default: a new file in ccheck's state folder)")
	f.Int64Var(&o.Limit, "history-limit", 8192, "stop when the history has grown to this many MiB")
	o.App.Register(f, "stress", between)
	f.BoolVar(&o.App.Running, "running", false, "the application runs already, with a database of its own: answers alone are judged, and --reset-cmd brings back its state")
	f.BoolVar(&o.HTTP2, "http2", false, "send the requests to an application as streams of one connection on HTTP/2, the ends of all in one write")
	f.IntVar(&o.MaxRows, "max-rows", appRows, "rows that a table of an application may have, since it is read and restored for every round")
	o.Outcome.Register(f)
	o.Display.Register(f)
	o.Place.Register(f)
	o.Seed.Register(f)
	o.Output.Register(f)
}

// resolve checks what can be checked before anything is opened.
func (o *Options) resolve(changed func(flag string) bool) error {
	if err := o.openApp(); err != nil {
		return err
	}
	o.DurationGiven = changed("duration")
	durationGiven := o.DurationGiven
	o.DurationGiven = durationGiven
	switch {
	case o.Clients < 0 || o.ClientsGiven && o.Clients == 0:
		return exit.Usagef("--clients %d: a run needs at least one client", o.Clients).WithHint("a race needs two or more; 200 is the size of the lab")
	case o.Clients > stress.MaxClients:
		return exit.Usagef("--clients %d: a run has at most %d, since each takes a process of the server", o.Clients, stress.MaxClients).
			WithHint("hot rows make races, not thousands of clients: try 200")
	case o.Duration < 0 || durationGiven && o.Duration == 0:
		return exit.Usagef("--duration %v: a run needs some time", o.Duration).WithHint("write it as 10s or 2m")
	case o.Transactions < 0:
		return exit.Usagef("--transactions %d is negative", o.Transactions).WithHint("give the calls of each lane, or leave it out for no limit")
	case !(o.Rate >= 0) || math.IsInf(o.Rate, 0):
		return exit.Usagef("--rate %g is no number of calls per second", o.Rate).WithHint("write --rate 100, or leave it out to go as fast as the server answers")
	case o.Scale < 1:
		return exit.Usagef("--scale %d is too small for :scale", o.Scale).WithHint("it is at least 1")
	case o.MaxTries < 0 || o.TriesGiven && o.MaxTries == 0:
		return exit.Usagef("--max-tries %d: a call is tried at least once", o.MaxTries).WithHint("1 is no retry")
	case o.CheckEvery <= 0:
		return exit.Usagef("--check-every %v is no pause", o.CheckEvery).WithHint("write it as 500ms or 2s")
	case o.Limit < 1 || o.Limit > math.MaxInt64>>20:
		return exit.Usagef("--history-limit %d is no size in MiB", o.Limit).WithHint("it is at least 1; the default is 8192")
	case o.Replica != "" && !o.Place.Named(o.Streams):
		return exit.Usagef("--replica is given, and no server that it is a replica of").WithHint("name the primary with --dsn; a throw-away server gets a replica where a script asks for one")
	case o.Keep && !o.Place.Named(o.Streams):
		return exit.Usagef("--keep leaves nothing on a throw-away server, which is removed as a whole").WithHint("name a server with --dsn")
	case o.Compare && o.Variant != "":
		return exit.Usagef("--compare runs every version; --variant %s names one", flags.Shown(o.Variant)).WithHint("leave the version out")
	case o.Compare && o.Plan:
		return exit.Usagef("--plan shows one run; --compare makes many").WithHint("leave one of them out")
	}
	if o.Transactions > 0 && !durationGiven {
		o.Duration = 0
	}
	switch {
	case o.App.Given():
		if err := o.resolveApp(changed); err != nil {
			return err
		}
	case slices.ContainsFunc(ofApps, changed):
		name := ofApps[slices.IndexFunc(ofApps, changed)]
		return exit.Usagef("--%s is for an application, and none was named", name).WithHint("name it with --app, and its requests with --curl")
	case o.Name == "":
		o.Name = "wallet"
	}
	for _, parse := range []func() error{o.Isolation.Parse, o.parseThink, o.parseProtocol, o.parseDefine, o.Place.Check, o.checkHistory, o.Outcome.Check, o.Display.Check, o.Output.Check, o.parseShard} {
		if err := parse(); err != nil {
			return err
		}
	}
	return nil
}

func (o *Options) parseThink() (err error) {
	if o.Think == "" {
		return nil
	}
	if o.think, err = scenario.ParseThink(o.Think); err != nil {
		return exit.Usagef("--think %q is no pause", o.Think).WithHint("write 5ms, or a range such as 0-5ms")
	}
	return nil
}

func (o *Options) parseProtocol() error {
	switch pg.Protocol(o.Protocol) {
	case pg.Simple, pg.Extended, pg.Prepared:
		return nil
	}
	return exit.Usagef("--protocol %q is no protocol", o.Protocol).WithHint("it takes simple, extended or prepared")
}

// variable is what pgbench takes for the name of a variable.
var variable = regexp.MustCompile(`^[\pL\pN_]+$`)

func (o *Options) parseDefine() error {
	for _, d := range o.Define {
		name, value, ok := strings.Cut(d, "=")
		if !ok || !variable.MatchString(name) {
			return exit.Usagef("--define %s is no definition", flags.Shown(d)).
				WithHint("write --define name=value, the name made of letters, digits and _")
		}
		_, err := strconv.ParseInt(value, 10, 64)
		o.vars = append(o.vars, scenario.Param{Name: name, Value: value, Quoted: err != nil})
	}
	return nil
}

// open reads the scenario.
func (o *Options) open() (*scenario.Scenario, error) {
	sc, err := flags.OpenScenario(o.Name)
	if err == nil && o.Variant != "" {
		sc, err = sc.Variant(o.Variant)
	}
	if err != nil {
		return nil, err
	}
	if folder := flags.Shadowed(o.Name); folder != "" {
		o.Streams.Warnf("%s is the scenario that comes with ccheck; the one in this folder is named %s", o.Name, folder)
	}
	if o.Compare && sc.Version != "" {
		return nil, exit.Usagef("--compare runs every version; %s names one", sc.FullName()).WithHint("leave the version out")
	}
	if err := o.suits(sc); err != nil {
		return nil, err
	}
	return o.adapt(sc), nil
}
