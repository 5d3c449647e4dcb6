// Package violation is the screen that tells one finding: what was expected,
// the transactions in lanes with what each read and wrote, why, and the mends.
// It can be stepped through, with the world as each transaction sees it.
package violation

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

var (
	stepKey  = screen.Key{Keys: []string{"s"}, Does: "step through the story, or stop stepping", Short: "step"}
	stepNext = screen.Key{Keys: []string{"right", "l"}, Does: "next step"}
	stepBack = screen.Key{Keys: []string{"left", "h"}, Does: "previous step"}
	whole    = screen.Key{Keys: []string{"w"}, Does: "show every row and the psql scripts, or hide them", Short: "whole"}
)

// Screen is the story of the finding in focus.
type Screen struct {
	finding int // the finding that the place below belongs to
	scroll  int
	step    int // one more than the step under the cursor, 0 when not stepping
	whole   bool
}

// New returns the screen.
func New() *Screen { return &Screen{} }

// Name implements screen.Screen.
func (*Screen) Name() string { return screen.Story }

// Keys implements screen.Screen.
func (*Screen) Keys() []screen.Key {
	keys := []screen.Key{stepKey, stepNext, stepBack, screen.Next, screen.Previous, whole}
	return append(keys, screen.Moves()...)
}

// Capturing implements screen.Screen.
func (*Screen) Capturing() bool { return false }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg, d screen.Data, f screen.Frame) screen.Intent {
	fd, ok := d.Finding()
	if !ok {
		return nil
	}
	s.meet(d)
	switch {
	case screen.Next.Is(msg):
		return screen.Choose{Finding: min(d.Chosen+1, len(d.Findings)-1)}
	case screen.Previous.Is(msg):
		return screen.Choose{Finding: max(d.Chosen-1, 0)}
	case whole.Is(msg):
		s.whole = !s.whole
	case s.stepped(msg, len(fd.Steps)):
	default:
		return s.move(msg, fd, f)
	}
	return screen.Handled{}
}

// meet starts at the top of a finding that was not shown before.
func (s *Screen) meet(d screen.Data) {
	if s.finding != d.Chosen {
		s.finding, s.scroll, s.step = d.Chosen, 0, 0
	}
}

// stepped moves the step cursor and reports whether the key was for it.
func (s *Screen) stepped(msg tea.Msg, n int) bool {
	switch {
	case stepKey.Is(msg) && s.step == 0:
		s.step = min(1, n)
	case stepKey.Is(msg), escape.Is(msg) && s.step > 0:
		s.step = 0
	case stepNext.Is(msg):
		s.step = min(s.step+1, n)
	case stepBack.Is(msg):
		s.step = max(s.step-1, min(1, n))
	default:
		return false
	}
	return true
}

var escape = screen.Key{Keys: []string{"esc"}}

// move scrolls.
func (s *Screen) move(msg tea.Msg, fd report.Finding, f screen.Frame) screen.Intent {
	last := max(len(s.lines(fd, f))-s.room(fd, f), 0)
	at, moved := screen.Move(msg, min(s.scroll, last), last+1, f.Height)
	if !moved {
		return nil
	}
	s.scroll, s.step = at, 0
	return screen.Handled{}
}

func (s *Screen) lines(fd report.Finding, f screen.Frame) []story.Line {
	o := f.Story
	o.Verbose = s.whole
	return story.Tell(fd, o)
}

// room is the number of lines for the story; the view of each transaction takes
// the rest while stepping.
func (s *Screen) room(fd report.Finding, f screen.Frame) int {
	if s.step == 0 {
		return f.Height - 1
	}
	return max(f.Height-2-len(s.world(fd, f)), 1)
}

// world is how each transaction sees things after the step under the cursor.
func (s *Screen) world(fd report.Finding, f screen.Frame) []story.Line {
	return story.At(fd, s.step-1, f.Story)
}

// View implements screen.Screen.
func (s *Screen) View(d screen.Data, f screen.Frame) []string {
	fd, ok := d.Finding()
	if !ok {
		return nothing(d, f)
	}
	at := *s
	at.meet(d)
	at.step = min(at.step, len(fd.Steps))
	lines := at.lines(fd, f)
	room := at.room(fd, f)
	from, to := at.window(lines, room)
	out := []string{at.title(d, f, from, to, len(lines))}
	for _, l := range lines[from:to] {
		out = append(out, f.Row(l, at.step > 0 && l.Step == at.step))
	}
	if at.step == 0 {
		return out
	}
	for len(out) < room+1 {
		out = append(out, "")
	}
	out = append(out, f.Title(fmt.Sprintf("After step %d of %d", at.step, len(fd.Steps)), "as each transaction sees it", true))
	return append(out, f.Lines(at.world(fd, f))...)
}

// window is the range of lines to show: around the cursor while stepping.
func (s *Screen) window(lines []story.Line, room int) (from, to int) {
	if s.step > 0 {
		for i, l := range lines {
			if l.Step == s.step {
				return screen.Window(i, len(lines), room)
			}
		}
	}
	from = min(s.scroll, max(len(lines)-room, 0))
	return from, min(from+max(room, 0), len(lines))
}

func (s *Screen) title(d screen.Data, f screen.Frame, from, to, n int) string {
	note := ""
	if from > 0 || to < n {
		note = fmt.Sprintf("lines %d to %d of %d", from+1, to, n)
	}
	return f.Title(fmt.Sprintf("Finding %d of %d", d.Chosen+1, len(d.Findings)), note, true)
}

// nothing says why there is no story, and names what was seen so far.
func nothing(d screen.Data, f screen.Frame) []string {
	text := "No story yet. What is seen broken while the run goes on is on the run screen; the judges explain it when the run has ended."
	if d.Summary != nil {
		text = "Nothing to tell: there is no finding. The result screen says how much that proves."
	}
	out := []string{f.Title("Story", "", true)}
	for _, l := range story.Wrap(text, f.Width-2, 0) {
		out = append(out, "  "+l)
	}
	return out
}
