package stress

import (
	"context"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stress"
)

// single makes one run and shows it while it goes on.
func single(ctx context.Context, s *session, sc *scenario.Scenario, level scenario.Isolation) error {
	show, err := display.Open(s.o.Streams, &s.o.Display, &s.o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	s.o.Streams = show.Streams()
	var d *done
	err = show.During(ctx, func(ctx context.Context, sink report.Sink) (err error) {
		d, err = s.once(ctx, sc, level, s.o.History, sink.Begin, func(snap stress.Snapshot) {
			sink.Progress(verdict.Progress(snap, s.o.Duration))
		})
		if err != nil {
			return err
		}
		for _, f := range d.findings {
			if err := sink.Add(f); err != nil {
				return err
			}
		}
		return sink.End(d.summary())
	})
	if err != nil {
		return err
	}
	return s.o.code(d.verdict.Verdict, d.findings, d.err)
}

// code is the outcome of the command: findings stand, whatever broke the run.
func (o *Options) code(v report.Verdict, findings []report.Finding, broken error) error {
	if broken != nil && !o.Outcome.Fails(findings) {
		return broken
	}
	if broken != nil {
		o.Streams.Warnf("%v", broken)
	}
	return exit.Status(o.Outcome.Code(v, findings))
}
