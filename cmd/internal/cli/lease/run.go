package lease

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/state"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lease"
)

// run does what was asked for.
func run(ctx context.Context, o *Options) (err error) {
	s, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.leave(ctx)) }()
	show, err := display.Open(o.Streams, &o.Display, &o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	path := o.History
	if path == "" {
		if path, err = state.New(o.Streams.Env, s.run.ID); err != nil {
			return exit.Failedf("%w", err).WithHint("set XDG_STATE_HOME to a folder that can be written")
		}
	}
	code := exit.Clean
	err = show.During(ctx, func(ctx context.Context, sink report.Sink) error {
		all, err := o.drive(ctx, s, path, sink)
		if err != nil {
			return err
		}
		code = o.Outcome.Code(all.Summary.Verdict, all.Findings)
		return tell(all, sink)
	})
	if err != nil {
		return err
	}
	return exit.Status(code)
}

// drive makes the run and judges what it recorded. A run that was stopped is
// judged as far as it went.
func (o *Options) drive(ctx context.Context, s *store, path string, sink report.Sink) (*output.Recording, error) {
	h := o.header(s)
	if err := sink.Begin(verdict.Run(&h)); err != nil {
		return nil, err
	}
	counts, driveErr := lease.Drive(ctx, lease.Options{
		Backend: s.Backend, Header: h, Path: path, Seed: o.Seed.Pick(),
		TTL: o.TTL, Rounds: o.Rounds, Clients: o.Clients, Names: o.Names, Duration: o.Duration,
		Progress: func(c lease.Counts) { sink.Progress(progress(c)) },
	})
	if driveErr != nil && ctx.Err() == nil {
		return nil, failed(driveErr, path)
	}
	sink.Progress(report.Progress{Phase: "judging", Elapsed: counts.Elapsed, Accepted: counts.Accepted, Refused: counts.Refused})
	f, err := history.Open(path)
	if err != nil {
		return nil, exit.Failedf("reading back the history: %w", err)
	}
	all, _, err := verdict.Again(context.WithoutCancel(ctx), f)
	if err != nil {
		return nil, exit.Failedf("judging the history: %w", err)
	}
	if n := counts.Pairs; n > 0 && o.Duration > 0 {
		all.Summary.Notes = append(all.Summary.Notes, fmt.Sprintf("%d clients took and gave back %d leases in %s: %.0f pairs a second", o.Clients, n, o.Duration, float64(n)/o.Duration.Seconds()))
	}
	return all, nil
}

// tell hands over what follows Begin.
func tell(all *output.Recording, sink report.Sink) error {
	for _, f := range all.Findings {
		if err := sink.Add(f); err != nil {
			return err
		}
	}
	return sink.End(all.Summary)
}

// failed is why a run broke off.
func failed(err error, path string) error {
	var setup *lease.SetupError
	if errors.As(err, &setup) {
		return told(err)
	}
	return exit.Failedf("%w", err).WithHint("what was recorded until then is in %s", path)
}

func (o *Options) header(s *store) history.Header {
	name := o.Backend
	if o.Plant != "" {
		name += "/" + o.Plant
	}
	h := history.Header{Run: s.run.ID, Probe: lease.Probe.Name, Version: build.Version(), Scenario: name, Target: s.Target, Seed: o.Seed.Pick()}
	for _, p := range [][2]string{
		{"backend", o.Backend}, {"plant", o.Plant}, {"ttl", o.TTL.String()}, {"rounds", strconv.Itoa(o.Rounds)},
		{"clients", strconv.Itoa(o.Clients)}, {"names", strconv.Itoa(o.Names)}, {"duration", o.Duration.String()},
	} {
		h.Params = append(h.Params, history.Parameter{Name: p[0], Value: p[1]})
	}
	return h
}

func progress(c lease.Counts) report.Progress {
	return report.Progress{Phase: c.Phase, Elapsed: c.Elapsed, Accepted: c.Accepted, Refused: c.Refused, Unknown: c.Unknown, Recorded: c.Recorded}
}
