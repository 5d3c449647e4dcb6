package stress

import (
	"context"
	"sync/atomic"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/tui"
)

// shown is where a run is shown: the formats that were asked for, and the
// full screen on a terminal where none was.
type shown struct {
	o    *Options
	out  *output.Output
	full bool
}

func open(o *Options) (*shown, error) {
	s := &shown{o: o, full: o.Streams.Interactive() && !o.Output.Given() && !o.NoTUI}
	var err error
	s.out, err = o.Output.Open(o.Streams)
	return s, err
}

func (s *shown) close() { s.out.Close() }

// during shows what work reports until it has ended and, on the full screen,
// until the person has left.
func (s *shown) during(ctx context.Context, work func(context.Context, report.Sink) error) error {
	if !s.full {
		return work(ctx, s.out)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var killed atomic.Bool
	ui := tui.New(tui.Options{
		In: s.o.Streams.In, Out: s.o.Streams.Out, Env: s.o.Streams.Env, ASCII: s.o.Streams.ASCII,
		Stop: stop, Kill: func() { killed.Store(true) },
	})
	kept := &memory{}
	ended := make(chan error, 1)
	screen, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	go func() {
		err := work(ctx, output.Multi(kept, ui.Sink()))
		if err != nil {
			leave() // there is nothing to look at
		}
		ended <- err
	}()
	uiErr := ui.Run(screen)
	if killed.Load() {
		s.o.Streams.Sayf("ended at once; `ccheck clean` removes what was left on the server")
		return exit.Status(exit.Interrupt)
	}
	stop()
	if err := <-ended; err != nil {
		return err
	}
	if uiErr != nil {
		s.o.Streams.Warnf("%v", uiErr)
	}
	return kept.replay(s.out)
}

// memory keeps what a run reported, to print it when the screen is left.
type memory struct {
	run      report.Run
	findings []report.Finding
	summary  report.Summary
}

func (m *memory) Begin(r report.Run) error   { m.run = r; return nil }
func (m *memory) Progress(report.Progress)   {}
func (m *memory) Add(f report.Finding) error { m.findings = append(m.findings, f); return nil }
func (m *memory) End(s report.Summary) error { m.summary = s; return nil }

func (m *memory) replay(to report.Sink) error {
	if err := to.Begin(m.run); err != nil {
		return err
	}
	for _, f := range m.findings {
		if err := to.Add(f); err != nil {
			return err
		}
	}
	return to.End(m.summary)
}
