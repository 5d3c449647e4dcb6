// Package screen is what every screen of the terminal UI is: a small interface,
// the data it shows, the frame it draws into, and the keys and lists that all
// screens share. It holds no screen itself and does no I/O: a screen asks for
// what it wants done with an Intent, and the root model does it.
package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story"
	"github.com/ccheck/ccheck/tui/style"
)

// Screen is one screen. View is a function of the data, the frame and what the
// screen remembers; only Update changes that.
type Screen interface {
	// Name is the word in the footer and in the keymap.
	Name() string
	// Keys are the keys that Update answers to, the most useful first.
	Keys() []Key
	// Update takes a key press or a paste.
	Update(tea.Msg, Data, Frame) Intent
	// View returns at most Frame.Height lines; longer ones are cut.
	View(Data, Frame) []string
	// Capturing reports that the person is typing text, so that letters are no
	// commands, of the root neither.
	Capturing() bool
}

// Data is what there is to show. The root owns it; screens only read.
type Data struct {
	Run      report.Run
	Progress report.Progress
	Findings []report.Finding
	Summary  *report.Summary // nil while the run goes on
	Chosen   int             // index of the finding in focus
	Faults   bool            // show only what is wrong
	// Code is the source of findings, by their index, as far as it was asked for.
	Code map[int]story.Excerpt
}

// Finding returns the finding in focus.
func (d Data) Finding() (report.Finding, bool) {
	if d.Chosen < 0 || d.Chosen >= len(d.Findings) {
		return report.Finding{}, false
	}
	return d.Findings[d.Chosen], true
}

// Frame is the space for a screen, and how to draw in it.
type Frame struct {
	Width, Height int // cells and lines for the screen itself
	Compact       bool
	Story         story.Options // its Width is that of the frame
	Sheet         style.Sheet
}

// Lines colours lines of a story.
func (f Frame) Lines(ls []story.Line) []string {
	out := make([]string, len(ls))
	for i, l := range ls {
		out[i] = f.Sheet.Line(l)
	}
	return out
}

// Row colours a line of a list. The line under the cursor is inverted and has a
// mark in its empty first cell, for terminals that invert nothing.
func (f Frame) Row(l story.Line, cursor bool) string {
	if !cursor {
		return f.Sheet.Line(l)
	}
	text := l.String()
	if rest, ok := strings.CutPrefix(text, " "); ok {
		text = f.Glyph("›", ">") + rest
	}
	return f.Sheet.Cursor(text)
}

// Title heads a part of a screen; the part that has the keys is marked.
func (f Frame) Title(name, note string, focus bool) string {
	mark := " "
	if focus {
		mark = f.Glyph("▌", ">")
	}
	title := mark + f.Sheet.Role(story.Strong, name)
	if note != "" {
		title += "  " + f.Sheet.Role(story.Muted, f.Story.Text(note))
	}
	return title
}

// Glyph chooses between a sign and its ASCII form.
func (f Frame) Glyph(sign, ascii string) string {
	if f.Story.ASCII {
		return ascii
	}
	return sign
}

// Intent is what a screen wants done; nil is nothing.
type Intent any

type (
	// Choose puts a finding in focus and shows its story.
	Choose struct{ Finding int }
	// Handled says that the key was for the screen.
	Handled struct{}
	// Apply asks the person, and makes the edits of findings.
	Apply struct{ Findings []int }
	// Open shows the place of a finding in the person's editor.
	Open struct{ Finding int }
	// Prove runs what shows that a finding is real, or that it is not.
	Prove struct{ Finding int }
	// Copy puts a text on the clipboard, and says what it is.
	Copy struct{ Text, Said string }
)

// Names of the screens, in the order of their number keys.
const (
	Run      = "run"
	Findings = "findings"
	Story    = "story"
	Result   = "result"
	Heap     = "heap"  // in the place of run, for a run over a heap
	Lease    = "lease" // in the place of run, for a run with leases
	Lag      = "lag"   // of a run over replicas
	Deadlock = "deadlock"
	Retry    = "retry"
	Queue    = "queue"
	Vet      = "vet" // of a run over source, in the place of run, findings and story
)

// Focuser is a Screen in which a finding other than Data.Chosen may be in focus.
type Focuser interface {
	Focus(Data) (finding int, ok bool)
}

// Deep is a Screen with a part that esc leads out of.
type Deep interface{ Inside() bool }
