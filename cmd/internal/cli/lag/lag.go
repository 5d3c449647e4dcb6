// Package lag is the command that measures how far replicas are behind and what
// the sessions that read from them get.
package lag

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
	"github.com/ccheck/ccheck/probes/lag"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams

	Primary  string
	Replicas []string
	Lab      bool

	Reads     string
	Every     time.Duration
	Duration  time.Duration
	Fixes     time.Duration
	Patience  time.Duration
	Count     int
	Delay     time.Duration
	Partition time.Duration
	History   string
	own       string // the flag that was given, and is for throw-away replicas alone

	Write   string
	Read    string
	Body    string
	Headers []string
	Find    string

	Place   place.Flags
	Output  output.Flags
	Display display.Flags
	Outcome flags.Outcome
}

const long = `Writes on the primary, reads from the replicas, and measures when a commit can be
read there. Beside that, sessions write and read as an application does: does a
session read its own writes, does it read backwards, is an effect seen before its
cause, is money spent twice on a stale balance?

Without a server it starts a primary and two replicas, of which the second applies
everything --delay later. --reads says how sessions read; with the default, a
replica whatever it has replayed, the three ways that mend it are tried as well.

Your own servers are named by --primary and one --replica each. The probe works in a
schema of its own on the primary, and removes it. An application is observed by
--write URL and --read URL.`

const example = `
# a primary and two replicas, one of them late: what goes wrong, and what mends it
ccheck lag

# the same with sessions that wait for the log, and a replica that is cut off
ccheck lag --reads wait --partition 3s

# your own
ccheck lag --primary env:PRIMARY_URL --replica env:REPLICA_URL

# an application that reads from a replica
ccheck lag --write 'POST http://localhost:8080/name?value={{value}}' --read http://localhost:8080/name`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:     "lag",
		Short:   "Measure how far replicas are behind, and what their readers get",
		Long:    long,
		Example: example,
		Args:    flags.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.resolve(cmd); err != nil {
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
	f.StringVar(&o.Primary, "primary", "", "the primary, named as by --dsn: a `URL`, key=value pairs or env:NAME")
	f.StringArrayVar(&o.Replicas, "replica", nil, "a replica of it, a `URL`, key=value pairs or env:NAME; once for each")
	f.BoolVar(&o.Lab, "lab", false, "a throw-away primary with replicas, even where a variable names a server")
	f.StringVar(&o.Reads, "reads", "replica", "where a session `reads` that knows something: replica, primary, wait, token")
	f.DurationVar(&o.Every, "every", 200*time.Millisecond, "time between two rounds of the sessions")
	f.DurationVar(&o.Duration, "duration", 10*time.Second, "how long they go on; up to four times as long when that was too few rounds to judge by")
	f.DurationVar(&o.Fixes, "fixes", 2*time.Second, "how long each way that mends it is tried after --reads replica; 0 for not at all")
	f.DurationVar(&o.Patience, "patience", time.Second, "how long a read waits for its replica with --reads wait")
	f.IntVar(&o.Count, "replicas", 2, "replicas of the throw-away primary")
	f.DurationVar(&o.Delay, "delay", 250*time.Millisecond, "how much later the last of them applies a commit (recovery_min_apply_delay)")
	f.DurationVar(&o.Partition, "partition", 0, "cut the last of them off for so long at the end")
	f.StringVar(&o.Write, "write", "", "write through an application: `METHOD URL`, with {{value}} where the value goes")
	f.StringVar(&o.Read, "read", "", "read through it: a `URL`, or METHOD URL")
	f.StringVar(&o.Body, "body", "", "`text` of the body of --write, with {{value}} or {{n}}")
	f.StringArrayVar(&o.Headers, "header", nil, "`NAME: VALUE` of a header of both")
	f.StringVar(&o.Find, "find", "", "regular `expression` whose group is the number in the answer, where {{n}} is written (default: the value)")
	f.StringVar(&o.History, "history", "", "write the history to this `file` (default: a new file in ccheck's state folder)")
	o.Outcome.Register(f)
	o.Display.Register(f)
	o.Place.Register(f)
	o.Output.Register(f)
}

var policies = []string{string(lag.Replica), string(lag.Primary), string(lag.Wait), string(lag.Token)}

// resolve checks what can be checked before anything is opened.
func (o *Options) resolve(cmd *cobra.Command) error {
	if !slices.Contains(policies, o.Reads) {
		err := exit.Usagef("--reads cannot be %s", flags.Shown(o.Reads))
		if near := suggest.Nearest(o.Reads, policies); near != "" {
			return err.WithHint("did you mean %q?", near)
		}
		return err.WithHint("it takes replica, primary, wait or token")
	}
	if err := o.servers(cmd); err != nil {
		return err
	}
	if err := o.times(); err != nil {
		return err
	}
	for _, check := range []func() error{o.history, o.web, o.Place.Check, o.Outcome.Check, o.Display.Check, o.Output.Check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// servers takes --primary for --dsn, and finds flags that do not go together.
func (o *Options) servers(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	o.Lab = o.Lab || o.Place.Throwaway
	if given("primary") {
		if given("dsn") {
			return exit.Usagef("--primary and --dsn both name the primary").WithHint("leave one of them out")
		}
		if err := cmd.Flags().Set("dsn", o.Primary); err != nil {
			return err
		}
	}
	named := given("primary") || given("dsn") || o.Place.Target.DSNFile != "" || o.Place.Target.UseDatabaseURL || len(o.Replicas) > 0
	if o.Lab && named {
		return exit.Usagef("--lab starts servers, and another flag names one").WithHint("leave one of them out")
	}
	o.Place.Throwaway = o.Lab
	for _, name := range []string{"partition", "delay", "replicas"} {
		if given(name) {
			o.own = "--" + name
		}
	}
	return nil
}

func (o *Options) times() error {
	switch {
	case o.Every < 10*time.Millisecond:
		return exit.Usagef("--every %s is too short: the probe would be a load of its own", o.Every).WithHint("it is at least 10ms; the default is 200ms")
	case o.Duration < time.Second:
		return exit.Usagef("--duration %s is too short to see anything", o.Duration).WithHint("it is at least 1s; the default is 10s")
	case o.Fixes < 0 || o.Delay < 0 || o.Partition < 0:
		return exit.Usagef("--fixes, --delay and --partition are not negative").WithHint("0 leaves each of them out")
	case o.Patience < 100*time.Millisecond:
		return exit.Usagef("--patience %s is too short for any replica", o.Patience).WithHint("it is at least 100ms; the default is 1s")
	case o.Count < 1 || o.Count > 4:
		return exit.Usagef("--replicas %d cannot be started", o.Count).WithHint("it is from 1 to 4; replicas of yours are named by --replica")
	}
	return nil
}

func (o *Options) history() error { return flags.NewHistory(o.History) }
