// Package display is where a command shows a run: in the formats that were
// asked for, or on the full screen where there is a terminal and none was.
package display

import (
	"context"
	"errors"
	"os"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/mend"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
	"github.com/ccheck/ccheck/tui"
	"github.com/ccheck/ccheck/tui/style"
)

// Flags are the flags of the full screen.
type Flags struct {
	NoTUI bool
	Theme string // "" for the default
}

// Register adds the flags to fs.
func (f *Flags) Register(fs *pflag.FlagSet) {
	fs.BoolVar(&f.NoTUI, "no-tui", false, "no full screen, lines only")
	fs.StringVar(&f.Theme, "theme", "", "colours of the full screen: "+list(style.Themes()))
}

// Check finds what is wrong with the flags before anything was run.
func (f *Flags) Check() error {
	if style.Known(f.Theme) {
		return nil
	}
	err := exit.Usagef("--theme cannot be %q", f.Theme)
	if near := suggest.Nearest(f.Theme, style.Themes()); near != "" {
		return err.WithHint("did you mean %q?", near)
	}
	return err.WithHint("it takes %s", list(style.Themes()))
}

// Display shows one run.
type Display struct {
	*output.Output
	// Prove is what proves a finding on the full screen; nil where nothing can.
	Prove   func(report.Finding) (tui.Proof, error)
	streams *stdio.Streams
	theme   string
	held    *held // what others say while the full screen is up; nil without one
}

// Open opens the formats, and decides whether the full screen is shown. Close
// must be called whatever happens.
func Open(s *stdio.Streams, f *Flags, formats *output.Flags) (*Display, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	d := &Display{streams: s, theme: f.Theme}
	if s.Interactive() && !formats.Given() && !f.NoTUI {
		d.held = &held{to: s.Err}
	}
	var err error
	d.Output, err = formats.Open(s)
	return d, err
}

// Full reports whether the full screen is shown.
func (d *Display) Full() bool { return d.held != nil }

// Streams are the streams for what is said beside the run. While the full screen
// is up, messages wait until it is left.
func (d *Display) Streams() *stdio.Streams {
	if !d.Full() {
		return d.streams
	}
	beside := *d.streams
	beside.Err = d.held
	return &beside
}

// During shows what work reports until it has ended and, on the full screen,
// until the person has left; then the result is told in lines as well. A ctx
// that ends, as at a signal, ends the work and then the screen.
func (d *Display) During(ctx context.Context, work func(context.Context, report.Sink) error) error {
	if !d.Full() {
		return work(ctx, d)
	}
	defer d.held.release()
	running, stop := context.WithCancel(ctx)
	defer stop()
	kept := &output.Recording{}
	var killed atomic.Bool
	o := d.options(kept)
	o.Stop, o.Kill = stop, func() { killed.Store(true) }
	ui := tui.New(o)
	screen, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	ended := beside(func() error { return work(running, output.Multi(kept, ui.Sink())) }, func(r result) {
		if r.failed() {
			leave() // there is nothing to look at
		}
		select {
		case <-ctx.Done(): // a signal: nobody may be there to press a key
			leave()
		case <-screen.Done():
		}
	})
	uiErr := ui.Run(screen)
	if killed.Load() {
		d.streams.Sayf("ended at once; `ccheck clean` removes a throw-away server that was left, `ccheck clean --dsn … --force` a schema on yours")
		return exit.Status(exit.Interrupt)
	}
	if uiErr != nil {
		d.streams.Warnf("%v; the run goes on without it", uiErr)
	} else {
		stop()
	}
	err := (<-ended).error()
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return exit.Status(exit.Interrupt) // by a key, before there was anything to judge
	}
	if err != nil {
		return err
	}
	return kept.Replay(d)
}

// Stored shows a run that is long over. It returns when the person has left or
// ctx is done.
func (d *Display) Stored(ctx context.Context, all *output.Recording) error {
	if !d.Full() {
		return all.Replay(d)
	}
	defer d.held.release()
	o := d.options(all)
	o.Run, o.Findings, o.Summary = all.Run, all.Findings, &all.Summary
	if dir, err := os.Getwd(); err == nil {
		o.Code = mend.NewBench(dir, d.streams.Env)
	}
	return tui.New(o).Run(ctx)
}

// options are those of the screen of a run that is kept in all.
func (d *Display) options(all *output.Recording) tui.Options {
	s := d.streams
	o := tui.Options{In: s.In, Out: s.Out, Env: s.Env, ASCII: s.ASCII, Theme: d.theme, Prove: d.Prove}
	if !s.Color {
		o.Env = colourless(s.Env)
	}
	for _, f := range output.All {
		if !f.Stream {
			o.Formats = append(o.Formats, f.Name)
		}
	}
	o.Export = func(name string) (string, error) {
		f, _ := output.Lookup(name)
		return all.Save(".", f)
	}
	return o
}
