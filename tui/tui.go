// Package tui is the terminal UI: the live screen of a run, the list of
// findings, each finding as lanes that can be stepped through, and the result.
// A stored run opens in the same screens.
//
// It is a report.Sink and nothing more: it connects to nothing, judges nothing
// and never slows the run, because what the engine hands in goes into a mailbox
// and is looked at ten times a second. Where no terminal is, the text sink says
// the same in lines.
package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/ccheck/ccheck/analyzers/report"
)

const (
	// framesPerSecond bounds how often the terminal is written to.
	framesPerSecond = 20
	// interval is the least time between two states of the run on the screen.
	interval = 100 * time.Millisecond
)

// Options say where the UI runs and what it may ask its caller to do.
type Options struct {
	In    io.Reader
	Out   io.Writer
	Env   func(string) string // as os.Getenv; nil means an empty environment
	ASCII bool                // draw with ASCII only
	Theme string              // a name of style.Themes, "" for the default

	// Stop ends the run in good order; it is called at the first q or ctrl-c of a
	// run that goes on. A nil Stop says that nothing runs: q leaves at once.
	Stop func()
	// Kill is called at a second ctrl-c, before the UI is left. Neither may block.
	Kill func()
	// Exit leaves the UI when the run ends, without waiting for a key.
	Exit bool

	// Formats are what Export can write, in the order in which they are offered.
	Formats []string
	// Export writes the run in a format and returns the path of the file. It is
	// called outside the event loop. Nil takes the key away.
	Export func(format string) (path string, err error)

	// Code is the source that the findings of a run over source are about. Nil
	// where it is not at hand.
	Code Code

	// Prove prepares the proof of a finding. Nil where there is none.
	Prove func(report.Finding) (Proof, error)

	// A stored run: these are shown as if they had come through the sink.
	Run      report.Run
	Findings []report.Finding
	Summary  *report.Summary

	size [2]int // of a terminal without one, in tests
}

// Program is the UI of one run.
type Program struct {
	opts Options
	sink *Sink
}

// New returns a program. Its sink takes what the engine says from now on.
func New(o Options) *Program {
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	return &Program{opts: o, sink: newSink()}
}

// Sink is where the run is reported to. It may be used from another goroutine
// than Run, before, while and after the UI is shown.
func (p *Program) Sink() *Sink { return p.sink }

// Run shows the UI until the person leaves it, or the run ends with Options.Exit,
// or ctx is done; the terminal is then as it was. A done ctx is no error: its
// owner knows why. Signals are left to the caller.
func (p *Program) Run(ctx context.Context) error {
	prog := tea.NewProgram(newModel(p.opts), p.programOptions(ctx)...)
	pumping, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.sink.pump(pumping, prog.Send)
	}()
	_, err := prog.Run()
	stop()
	<-done
	if err != nil && ctx.Err() == nil && !errors.Is(err, tea.ErrInterrupted) {
		return fmt.Errorf("showing the terminal UI: %w", err)
	}
	return nil
}

func (p *Program) programOptions(ctx context.Context) []tea.ProgramOption {
	o := p.opts
	opts := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithFPS(framesPerSecond),
		tea.WithEnvironment(environ(o.Env)), tea.WithoutSignalHandler(),
	}
	// no-color.org: any value that is not empty. The library takes true ones only.
	if o.Env("NO_COLOR") != "" {
		opts = append(opts, tea.WithColorProfile(colorprofile.ASCII))
	}
	if o.size[0] > 0 {
		opts = append(opts, tea.WithWindowSize(o.size[0], o.size[1]))
	}
	return opts
}

// environ hands on the variables that say what the terminal can do.
func environ(env func(string) string) []string {
	out := []string{} // not nil: that would mean the environment of the process
	for _, name := range []string{
		"TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "CLICOLOR", "CLICOLOR_FORCE", "TTY_FORCE",
		"TMUX", "STY", "SSH_TTY", "WT_SESSION", "ConEmuANSI", "GOOGLE_CLOUD_SHELL",
	} {
		if v := env(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}
