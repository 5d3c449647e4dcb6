package lease

import (
	"context"
	"fmt"
	"strconv"

	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/leasestore"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lease"
)

// run does what was asked for.
func run(ctx context.Context, o *Options) error {
	r := &leasestore.Session{
		Options: leasestore.Options{
			Streams: o.Streams, Kind: o.Backend, URL: o.URL, Command: o.Command, Place: &o.Place, Connections: o.Clients + 4, Plant: o.Plant,
		},
		Probe: lease.Probe.Name, Scenario: o.Backend, Seed: o.Seed.Pick(), History: o.History, Params: o.params(),
		Output: &o.Output, Display: &o.Display, Outcome: &o.Outcome, Drive: o.drive,
	}
	if o.Plant != "" {
		r.Scenario += "/" + o.Plant
	}
	return r.Run(ctx)
}

// drive makes the run; the note says how fast the many clients were.
func (o *Options) drive(ctx context.Context, s *leasestore.Store, h history.Header, path string, progress func(lease.Counts)) (string, error) {
	counts, err := lease.Drive(ctx, lease.Options{
		Backend: s.Backend, Header: h, Path: path, Seed: o.Seed.Pick(),
		TTL: o.TTL, Rounds: o.Rounds, Clients: o.Clients, Names: o.Names, Duration: o.Duration, Progress: progress,
	})
	if counts.Pairs == 0 || o.Duration == 0 {
		return "", err
	}
	return fmt.Sprintf("%d clients took and gave back %d leases in %s, %.0f pairs a second", o.Clients, counts.Pairs, o.Duration, float64(counts.Pairs)/o.Duration.Seconds()), err
}

func (o *Options) params() (all []history.Parameter) {
	for _, p := range [][2]string{
		{"backend", o.Backend}, {"plant", o.Plant}, {"ttl", o.TTL.String()}, {"rounds", strconv.Itoa(o.Rounds)},
		{"clients", strconv.Itoa(o.Clients)}, {"names", strconv.Itoa(o.Names)}, {"duration", o.Duration.String()},
	} {
		all = append(all, history.Parameter{Name: p[0], Value: p[1]})
	}
	return append(all, o.again()...)
}

// again is how to see a finding again, as a parameter of the history.
func (o *Options) again() []history.Parameter {
	words := []string{"ccheck lease --backend " + o.Backend}
	if o.Plant != "" {
		words = append(words, "--plant "+o.Plant)
	}
	words = append(words, fmt.Sprintf("--ttl %s --seed %d", o.TTL, o.Seed.Pick()))
	if o.URL != "" {
		words = append(words, "--url "+flags.Quoted(flags.Redacted(o.URL)))
	}
	words = append(words, o.Place.Again()...)
	if len(o.Command) > 0 {
		words = append(words, "--")
		for _, w := range o.Command {
			words = append(words, flags.Quoted(w))
		}
	}
	return verdict.Command(words...)
}
