package leasestore

import (
	"context"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
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
	path, err := verdict.Path(r.Streams, r.History, s.Run.ID)
	if err != nil {
		return err
	}
	return show.Judged(ctx, r.Outcome, func(ctx context.Context, sink report.Sink) (*output.Recording, error) {
		return r.record(ctx, s, path, sink)
	})
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
	all, err := verdict.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	if note != "" {
		all.Summary.Notes = append(all.Summary.Notes, note)
	}
	return all, nil
}

func progress(c lease.Counts) report.Progress {
	return report.Progress{Phase: c.Phase, Elapsed: c.Elapsed, Accepted: c.Accepted, Refused: c.Refused, Unknown: c.Unknown, Recorded: c.Recorded}
}
