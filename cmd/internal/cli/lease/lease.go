// Package lease is the command that pauses the owner of a lease until it is over
// and looks who gets through.
package lease

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
	"github.com/ccheck/ccheck/probes/lease"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams

	Backend  string
	URL      string
	Command  []string // of --backend exec
	Plant    string
	TTL      time.Duration
	Rounds   int
	Clients  int
	Names    int
	Duration time.Duration
	History  string

	Place   place.Flags
	Seed    flags.Seed
	Output  output.Flags
	Display display.Flags
	Outcome flags.Outcome
}

const long = `Pauses the owner of a lease until it is over, lets a rival take it and write, and
lets the first one go on: is its late write refused, do tokens grow, can it renew
or give back what is another's, are there ever two owners?

Without a flag it runs the reference on a throw-away PostgreSQL. --backend redis
and etcd start a throw-away server too; --dsn and --url name one of yours, on
which ccheck makes a schema or keys of its own and removes them.

Your own code is judged by --backend exec or http: a command that reads a call
a line and answers a line, or an application with five endpoints. ` + "`ccheck explain lease`" + `
has the protocol.

--plant does one thing wrong, to see what is found.`

const example = `
# the classic run on a throw-away server: the late write is refused
ccheck lease

# the same with the token compared in the application
ccheck lease --backend redis --plant compare

# your own worker, paused by SIGSTOP
ccheck lease --backend exec --ttl 2s -- ./worker --leases`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:     "lease [-- command...]",
		Short:   "Pause the owner of a lease, and see who gets through",
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
	f.StringVar(&o.Backend, "backend", "postgres", "`store` of the leases: "+strings.Join(backends, ", "))
	f.StringVar(&o.URL, "url", "", "the `address` of your Redis, etcd or application, or env:NAME of a variable that has it")
	f.StringVar(&o.Plant, "plant", "", "do this one `thing` wrong: "+strings.Join(plants(), ", "))
	f.DurationVar(&o.TTL, "ttl", time.Second, "time to live of a lease; every pause is a little longer")
	f.IntVar(&o.Rounds, "rounds", 1, "how often the owners take turns")
	f.IntVarP(&o.Clients, "clients", "c", 16, "clients that take and give back leases as fast as they can, at the end")
	f.IntVar(&o.Names, "names", 8, "leases that they share")
	f.DurationVar(&o.Duration, "duration", time.Second, "how long they do; 0 for not at all")
	f.StringVar(&o.History, "history", "", "write the history to this `file` (default: a new file in ccheck's state folder)")
	o.Outcome.Register(f)
	o.Display.Register(f)
	o.Place.Register(f)
	o.Seed.Register(f)
	o.Output.Register(f)
}

// backends are the stores, the references first.
var backends = []string{"postgres", "redis", "etcd", "exec", "http"}

func plants() []string {
	var all []string
	for _, p := range lease.Plants {
		all = append(all, string(p.Name))
	}
	return all
}

// resolve checks what can be checked before anything is opened.
func (o *Options) resolve() error {
	if err := flags.Word("--backend", o.Backend, backends); err != nil {
		return err
	}
	if o.Plant != "" {
		if err := flags.Word("--plant", o.Plant, plants()); err != nil {
			return err
		}
	}
	if err := o.fits(); err != nil {
		return err
	}
	switch {
	case o.TTL < 100*time.Millisecond:
		return exit.Usagef("--ttl %s is too short for a pause to be told from a slow answer", o.TTL).WithHint("it is at least 100ms; the default is 1s")
	case o.TTL > time.Minute:
		return exit.Usagef("--ttl %s: every pause is longer than that", o.TTL).WithHint("it is at most 1m; the default is 1s")
	case o.Backend == "etcd" && o.TTL%time.Second != 0:
		return exit.Usagef("--ttl %s: etcd counts leases in whole seconds", o.TTL).WithHint("give 1s or 2s")
	case o.Rounds < 1:
		return exit.Usagef("--rounds %d: the owners take turns at least once", o.Rounds).WithHint("the default is 1")
	case o.Clients < 1 || o.Clients > 256:
		return exit.Usagef("--clients %d is no number of clients", o.Clients).WithHint("it is from 1 to 256; --duration 0 leaves them out")
	case o.Names < 1:
		return exit.Usagef("--names %d is no number of leases", o.Names).WithHint("it is at least 1; the default is 8")
	case o.Duration < 0:
		return exit.Usagef("--duration %s is negative", o.Duration).WithHint("0 leaves the many clients out")
	}
	for _, check := range []func() error{o.history, o.Place.Check, o.Outcome.Check, o.Display.Check, o.Output.Check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// fits finds flags that do not go together with the store.
func (o *Options) fits() error {
	own := o.Backend == "exec" || o.Backend == "http"
	switch {
	case o.Backend == "exec" && len(o.Command) == 0:
		return exit.Usagef("--backend exec needs a command").WithHint("write it behind two dashes: ccheck lease --backend exec -- ./worker --leases")
	case o.Backend != "exec" && len(o.Command) > 0:
		return exit.Usagef("lease does not take the argument %s", flags.Shown(o.Command[0])).WithHint("a command is for --backend exec, behind two dashes")
	case o.Backend == "http" && o.URL == "":
		return exit.Usagef("--backend http needs --url").WithHint("the calls are POST URL/acquire, URL/renew and so on; `ccheck explain lease` has them")
	case o.URL != "" && (o.Backend == "postgres" || o.Backend == "exec"):
		return exit.Usagef("--url is not for --backend %s", o.Backend).WithHint("a PostgreSQL is named by --dsn; --url names a Redis, an etcd or an application")
	case o.Backend != "postgres" && (o.Place.Target.DSN != "" || o.Place.Target.DSNFile != "" || o.Place.Target.UseDatabaseURL):
		return exit.Usagef("a PostgreSQL was named, and --backend is %s", o.Backend).WithHint("leave --dsn out, or use --backend postgres")
	case own && o.Plant != "":
		return exit.Usagef("--plant is for the references, and --backend %s is your own code", o.Backend).WithHint("leave it out")
	case o.Plant == string(lease.Skew) && o.Backend != "postgres":
		return exit.Usagef("--plant skew is for PostgreSQL: %s has no clock in its calls", o.Backend).WithHint("use --backend postgres")
	}
	return nil
}

func (o *Options) history() error { return flags.NewHistory(o.History) }
