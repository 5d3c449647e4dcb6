package screen

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/tui/story"
)

// Scroll is the place in a screen that is one text, longer than the frame.
type Scroll struct{ at int }

// Update moves the place in n lines.
func (s *Scroll) Update(msg tea.Msg, n int, f Frame) Intent {
	last := max(n-f.Height, 0)
	at, moved := Move(msg, min(s.at, last), last+1, f.Height)
	if !moved {
		return nil
	}
	s.at = at
	return Handled{}
}

// View are the lines that fit.
func (s *Scroll) View(ls []story.Line, f Frame) []string {
	from := min(s.at, max(len(ls)-f.Height, 0))
	to := min(from+max(f.Height, 0), len(ls))
	return f.Lines(ls[from:to])
}

// Wrapped is a text in one role, broken at the width.
func Wrapped(s string, role story.Role, o story.Options) []story.Line {
	var out []story.Line
	for _, l := range story.Wrap(o.Text(s), o.Width, 2) {
		out = append(out, story.Line{Segments: []story.Segment{{Text: l, Role: role}}})
	}
	return out
}
