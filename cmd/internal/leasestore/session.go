package leasestore

import (
	"context"
	"fmt"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/state"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lease"
)

// Session is one run on a store: how it is driven, and where it is shown.
type Session struct {
	Options
	Probe    string
	Scenario string
	Params   []history.Parameter
	Seed     uint64
	History  string // path; "" for a new file in ccheck's state folder

	Output  *output.Flags
	Display *display.Flags
	Outcome *flags.Outcome

	// Drive makes the run and records it at the path. The note, when there is
	// one, is told with the result.
	Drive func(ctx context.Context, s *Store, h history.Header, path string, progress func(lease.Counts)) (note string, err error)
}

// Run opens the store, makes the run, judges what it recorded, and shows it.
func (r *Session) Run(ctx context.Context) error {
	s, err := Open(ctx, r.Options)
	if err != nil {
		return err
	}
	defer s.Leave(ctx)
	show, err := display.Open(r.Streams, r.Display, r.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	path := r.History
	if path == "" {
		if path, err = state.New(r.Streams.Env, s.Run.ID); err != nil {
			return exit.Failedf("%w", err).WithHint("set XDG_STATE_HOME to a folder that can be written")
		}
	}
	code := exit.Clean
	err = show.During(ctx, func(ctx context.Context, sink report.Sink) error {
		all, err := r.record(ctx, s, path, sink)
		if err != nil {
			return err
		}
		code = r.Outcome.Code(all.Summary.Verdict, all.Findings)
		return finish(all, sink)
	})
	if err != nil {
		return err
	}
	return exit.Status(code)
}

// record makes the run. One that was stopped is judged as far as it went.
func (r *Session) record(ctx context.Context, s *Store, path string, sink report.Sink) (*output.Recording, error) {
	h := history.Header{
		Run: s.Run.ID, Probe: r.Probe, Version: build.Version(), Scenario: r.Scenario, Target: s.Target, Seed: r.Seed, Params: r.Params,
	}
	if err := sink.Begin(verdict.Run(&h)); err != nil {
		return nil, err
	}
	note, err := r.Drive(ctx, s, h, path, func(c lease.Counts) { sink.Progress(progress(c)) })
	if err != nil && ctx.Err() == nil {
		return nil, Failed(err, path)
	}
	f, err := history.Open(path)
	if err != nil {
		return nil, exit.Failedf("reading back the history: %w", err)
	}
	all, _, err := verdict.Again(context.WithoutCancel(ctx), f)
	if err != nil {
		return nil, fmt.Errorf("judging the history: %w", err)
	}
	if note != "" {
		all.Summary.Notes = append(all.Summary.Notes, note)
	}
	return all, nil
}

// finish hands over what follows Begin.
func finish(all *output.Recording, sink report.Sink) error {
	for _, f := range all.Findings {
		if err := sink.Add(f); err != nil {
			return err
		}
	}
	return sink.End(all.Summary)
}

func progress(c lease.Counts) report.Progress {
	return report.Progress{Phase: c.Phase, Elapsed: c.Elapsed, Accepted: c.Accepted, Refused: c.Refused, Unknown: c.Unknown, Recorded: c.Recorded}
}
