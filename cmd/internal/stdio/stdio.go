// Package stdio is where ccheck reads from and writes to, and how it talks:
// streams, environment, colour, width. Commands get it injected, so that a
// test sees all they print; only System knows the real ones.
//
// Result goes to Out; progress, warnings and errors go to Err.
package stdio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
)

// Streams is the outside world of one command.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	Env func(string) string // as os.Getenv

	InTTY, OutTTY, ErrTTY bool
	Width                 func() int // of Out, in cells

	// How to talk. The root command sets these from the global flags before a
	// command runs.
	Color   bool // ANSI colours on Out
	ASCII   bool // no glyph outside ASCII
	Plain   bool // whole lines, no cursor movement, no box drawing
	Quiet   bool // no progress
	Verbose bool
}

// DefaultWidth is the width of an output that is no terminal: a pipe or a file
// has none, and two transactions side by side need more than 80 cells.
const DefaultWidth = 120

// System returns the streams of the process.
func System() *Streams {
	s := &Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Getenv}
	s.InTTY = term.IsTerminal(os.Stdin.Fd())
	s.OutTTY = term.IsTerminal(os.Stdout.Fd())
	s.ErrTTY = term.IsTerminal(os.Stderr.Fd())
	s.Width = func() int {
		if w, _, err := term.GetSize(os.Stdout.Fd()); err == nil && w > 0 {
			return w
		}
		return DefaultWidth
	}
	return s
}

// Buffers are what a command under test reads and wrote.
type Buffers struct{ In, Out, Err bytes.Buffer }

// Test returns streams on buffers, no terminal, with an empty environment.
func Test() (*Streams, *Buffers) {
	b := &Buffers{}
	return &Streams{
		In: &b.In, Out: &b.Out, Err: &b.Err,
		Env:   func(string) string { return "" },
		Width: func() int { return DefaultWidth },
	}, b
}

// Warnf writes a warning for people.
func (s *Streams) Warnf(format string, args ...any) {
	fmt.Fprintf(s.Err, "ccheck: warning: "+format+"\n", args...)
}

// Sayf writes what goes on, unless ccheck was told to be quiet.
func (s *Streams) Sayf(format string, args ...any) {
	if !s.Quiet {
		fmt.Fprintf(s.Err, "ccheck: "+format+"\n", args...)
	}
}

// PrintJSON writes v to the result, indented. <, > and & stay as they are: SQL is
// full of them.
func (s *Streams) PrintJSON(v any) error {
	enc := json.NewEncoder(s.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// Interactive reports whether a full-screen interface can be shown: both ends
// are a terminal that can move its cursor, and nobody asked for lines.
func (s *Streams) Interactive() bool {
	return s.InTTY && s.OutTTY && !s.Plain && !s.Quiet && !s.lines()
}

// lines reports whether the environment asks for lines: a dumb terminal, a CI
// job (which may well have a pseudo-terminal), a screen reader.
func (s *Streams) lines() bool {
	return s.Env("TERM") == "dumb" || s.Env("CI") != "" || s.Env("CCHECK_ACCESSIBLE") != ""
}

// SetColor decides on colours: mode is auto, always or never. Auto means a
// terminal that is not dumb, and no NO_COLOR of any value (no-color.org).
func (s *Streams) SetColor(mode string) {
	switch mode {
	case "always":
		s.Color = true
	case "never":
		s.Color = false
	default:
		s.Color = s.OutTTY && s.Env("NO_COLOR") == "" && s.Env("TERM") != "dumb"
	}
}

// UTF8 reports whether the locale has the glyphs. The first variable that is
// set decides, as in setlocale(3); with none set the terminal is taken to be a
// modern one.
func (s *Streams) UTF8() bool {
	if s.Env("CCHECK_ASCII") != "" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(s.Env(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}
