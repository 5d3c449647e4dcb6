package lag

import (
	"context"
	"strconv"
	"time"

	"github.com/ccheck/ccheck/analyzers/history/session"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lag"
)

// subject is what is driven: servers or an application.
type subject struct {
	header history.Header
	drive  func(ctx context.Context, path string, progress func(lag.Counts)) error
}

// run does what was asked for.
func run(ctx context.Context, o *Options) error {
	if o.Write != "" {
		return o.show(ctx, o.application())
	}
	s, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer s.leave(ctx, o)
	h := o.header(s.box.Run.ID)
	h.Target = s.target()
	return o.show(ctx, subject{header: h, drive: func(ctx context.Context, path string, progress func(lag.Counts)) error {
		fixes := o.Fixes
		if o.Reads != string(lag.Replica) {
			fixes = 0
		}
		_, err := lag.Drive(ctx, lag.Options{
			Primary: s.primary, Replicas: s.replicas, Header: h, Path: path, Policy: lag.Policy(o.Reads),
			Every: o.Every, Duration: o.Duration, Fixes: fixes, Patience: o.Patience, Partition: o.partition(s), Progress: progress,
		})
		return err
	}})
}

// show drives, judges and shows.
func (o *Options) show(ctx context.Context, s subject) error {
	show, err := display.Open(o.Streams, &o.Display, &o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	path, err := verdict.Path(o.Streams, o.History, s.header.Run)
	if err != nil {
		return err
	}
	return show.Judged(ctx, &o.Outcome, func(ctx context.Context, sink report.Sink) (*output.Recording, error) {
		if err := sink.Begin(verdict.Run(&s.header)); err != nil {
			return nil, err
		}
		err := s.drive(ctx, path, func(c lag.Counts) { sink.Progress(progress(c)) })
		if err != nil && ctx.Err() == nil {
			return nil, told(err, path)
		}
		sink.Progress(report.Progress{Phase: "judging"})
		return verdict.Read(ctx, path)
	})
}

// header is the head of the history, as far as it is known before the servers.
func (o *Options) header(id string) history.Header {
	h := history.Header{Run: id, Probe: lag.Probe.Name, Version: build.Version(), Scenario: "reads/" + o.Reads, Start: time.Now()}
	add := func(name, value string) { h.Params = append(h.Params, history.Parameter{Name: name, Value: value}) }
	add("reads", o.Reads)
	add("every", o.Every.String())
	add("duration", o.Duration.String())
	if o.Write == "" && !o.Place.Named(o.Streams) {
		add("replicas", strconv.Itoa(o.Count))
		add("delay", o.Delay.String())
		if o.Partition > 0 {
			add("partition", o.Partition.String())
		}
	}
	return h
}

// progress is the state of a run as sinks show it.
func progress(c lag.Counts) report.Progress {
	p := report.Progress{Phase: c.Phase, Elapsed: c.Elapsed, Accepted: c.Writes + c.Reads, Unknown: c.Failed, Recorded: c.Recorded, Lag: &report.Lag{}}
	for _, s := range c.Replicas {
		p.Lag.Replicas = append(p.Lag.Replicas, session.Series(s.Name, s.Values, s.Bytes))
	}
	return p
}

// newRun names the run of an application.
func newRun() string { return place.NewRun().ID }
