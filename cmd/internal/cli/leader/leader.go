// Package leader is the command that lets instances elect a leader and does
// things to it.
package leader

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/leasestore"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/leader"
	"github.com/ccheck/ccheck/probes/lease"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams

	Scheme    string
	URL       string
	Plant     string
	TTL       time.Duration
	Instances int
	Rounds    int
	History   string

	Command  []string // of --scheme exec
	Through  []string // variables, of exec
	URLs     []string // of --scheme http
	Break    string
	Mend     string
	Duration time.Duration

	Place   place.Flags
	Seed    flags.Seed
	Output  output.Flags
	Display display.Flags
	Outcome flags.Outcome
}

const long = `Lets instances elect a leader that does a job at each tick, as a cron job must
fire once however many instances run; then kills the leader, pauses it, cuts it
off and resets its connection. Is there ever more than one leader, does a tick
fire twice, and how long does a hand-over take?

Without a flag it runs a lease in a row of a throw-away PostgreSQL. --scheme names
others; --dsn and --url name a server of yours, on which ccheck makes a schema or
keys of its own and removes them.

Your own service is judged by --scheme exec: ccheck starts the instances, and they
say on their standard output when they lead and what they do. --scheme http asks
instances that run. ` + "`ccheck explain leader`" + ` has both protocols.

--plant does one thing wrong, to see what is found.`

const example = `
# leader by a row with a time to live
ccheck leader

# by an advisory lock that is taken through a pool of connections
ccheck leader --scheme advisory --plant pool

# three processes of yours, on a throw-away PostgreSQL or the one of REDIS_URL
ccheck leader --scheme exec --ttl 2s -- ./worker
ccheck leader --scheme exec --through REDIS_URL -- ./worker

# instances that run, of which the leader is paused
ccheck leader --scheme http --instance http://app1:8080/leader --instance http://app2:8080/leader \
  --break 'docker pause app-$CCHECK_INSTANCE' --mend 'docker unpause app-$CCHECK_INSTANCE'`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:     "leader [-- command...]",
		Short:   "Kill, pause and cut off an elected leader, and see who leads",
		Long:    long,
		Example: example,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Command = args
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
	f.StringVar(&o.Scheme, "scheme", "row", "how they `elect`: "+strings.Join(schemes, ", "))
	f.StringVar(&o.URL, "url", "", "the `address` of your Redis or etcd, or env:NAME of a variable that has it")
	f.StringVar(&o.Plant, "plant", "", "do this one `thing` wrong: "+strings.Join(plants, ", "))
	f.DurationVar(&o.TTL, "ttl", time.Second, "time to live of a leadership; a tick lasts two fifths of it")
	f.IntVar(&o.Instances, "instances", 3, "instances of the service")
	f.IntVar(&o.Rounds, "rounds", 1, "how often everything is done to the leader")
	f.StringArrayVar(&o.Through, "through", nil, "a `variable` with the URL of a server that the processes of --scheme exec reach through ccheck, so that they can be cut off from it (default: DATABASE_URL, of a throw-away PostgreSQL)")
	f.StringArrayVar(&o.URLs, "instance", nil, "a `URL` at which an instance answers whether it leads, for --scheme http; once for each")
	f.StringVar(&o.Break, "break", "", "`command` for sh that does something to the instance which CCHECK_INSTANCE and CCHECK_URL name, for --scheme http")
	f.StringVar(&o.Mend, "mend", "", "`command` that takes that back")
	f.DurationVar(&o.Duration, "duration", 30*time.Second, "how long --scheme http watches when there is no --break, while you do something to the leader")
	f.StringVar(&o.History, "history", "", "write the history to this `file` (default: a new file in ccheck's state folder)")
	o.Outcome.Register(f)
	o.Display.Register(f)
	o.Place.Register(f)
	o.Seed.Register(f)
	o.Output.Register(f)
}

var (
	schemes = []string{"row", "advisory", "redis", "etcd", schemeExec, schemeHTTP}
	plants  = []string{string(lease.Blind), string(lease.Pool)}
)

// resolve checks what can be checked before anything is opened.
func (o *Options) resolve() error {
	if err := flags.Word("--scheme", o.Scheme, schemes); err != nil {
		return err
	}
	if o.Plant != "" {
		if err := flags.Word("--plant", o.Plant, plants); err != nil {
			return err
		}
	}
	if err := o.fits(); err != nil {
		return err
	}
	own := o.Scheme == "row" || o.Scheme == "advisory"
	switch {
	case o.URL != "" && own:
		return exit.Usagef("--url is not for --scheme %s", o.Scheme).WithHint("a PostgreSQL is named by --dsn; --url names a Redis or an etcd")
	case !own && (o.Place.Target.DSN != "" || o.Place.Target.DSNFile != "" || o.Place.Target.UseDatabaseURL):
		return exit.Usagef("a PostgreSQL was named, and --scheme is %s", o.Scheme).WithHint("leave --dsn out, or use --scheme row or advisory")
	case o.Plant == string(lease.Pool) && o.Scheme != "advisory":
		return exit.Usagef("--plant pool is for advisory locks, and --scheme is %s", o.Scheme).WithHint("use --scheme advisory")
	case o.TTL < 500*time.Millisecond || o.TTL > time.Minute:
		return exit.Usagef("--ttl %s is no time to live for a leader", o.TTL).WithHint("it is from 500ms to 1m; the default is 1s")
	case o.Scheme == "etcd" && o.TTL%time.Second != 0:
		return exit.Usagef("--ttl %s: etcd counts leases in whole seconds", o.TTL).WithHint("give 1s or 2s")
	case o.Instances < 2 || o.Instances > 26:
		return exit.Usagef("--instances %d: nobody could take over, or there are no names for all", o.Instances).WithHint("it is from 2 to 26; the default is 3")
	case o.Rounds < 1:
		return exit.Usagef("--rounds %d: it is done at least once", o.Rounds).WithHint("the default is 1")
	}
	for _, check := range []func() error{o.history, o.Place.Check, o.Outcome.Check, o.Display.Check, o.Output.Check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// run does what was asked for.
func run(ctx context.Context, o *Options) error {
	kind := o.Scheme
	if kind == "row" {
		kind = leasestore.Postgres
	}
	own := &own{Options: o}
	r := &leasestore.Session{
		Options: leasestore.Options{
			Streams: o.Streams, Kind: kind, URL: o.URL, Place: &o.Place, Connections: 2*o.Instances + 4, Plant: o.Plant, Target: own.target(),
		},
		Probe: leader.Probe.Name, Scenario: o.Scheme, Seed: o.Seed.Pick(), History: o.History, Params: o.params(),
		Output: &o.Output, Display: &o.Display, Outcome: &o.Outcome, Drive: own.drive,
	}
	if o.Plant != "" {
		r.Scenario += "/" + o.Plant
	}
	return r.Run(ctx)
}

func (o *own) drive(ctx context.Context, s *leasestore.Store, h history.Header, path string, progress func(lease.Counts)) (string, error) {
	_, err := leader.Drive(ctx, leader.Options{
		Backend: s.Backend, Command: o.command, Watch: o.watch, Header: h, Path: path, Seed: o.Seed.Pick(),
		TTL: o.TTL, Instances: o.Instances, Rounds: o.Rounds, Progress: progress,
	})
	return "", err
}

func (o *Options) params() (all []history.Parameter) {
	add := func(name, value string) { all = append(all, history.Parameter{Name: name, Value: value}) }
	for _, p := range [][2]string{
		{"scheme", o.Scheme}, {"plant", o.Plant}, {"ttl", o.TTL.String()}, {"instances", strconv.Itoa(o.Instances)}, {"rounds", strconv.Itoa(o.Rounds)},
	} {
		add(p[0], p[1])
	}
	return append(all, o.again()...)
}

func (o *Options) history() error { return flags.NewHistory(o.History) }
