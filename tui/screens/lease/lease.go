// Package lease is the first screen of a run with leases or leaders: who held
// the lease over time, what the resource took and refused, and what is claimed.
// While the run goes on it says where it stands.
package lease

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// Screen is the time line.
type Screen struct{ scroll int }

// New returns the screen.
func New() *Screen { return &Screen{} }

// Name implements screen.Screen.
func (*Screen) Name() string { return screen.Lease }

// Keys implements screen.Screen.
func (*Screen) Keys() []screen.Key { return screen.Moves() }

// Capturing implements screen.Screen.
func (*Screen) Capturing() bool { return false }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg, d screen.Data, f screen.Frame) screen.Intent {
	last := max(len(lines(d, f))-f.Height, 0)
	at, moved := screen.Move(msg, min(s.scroll, last), last+1, f.Height)
	if !moved {
		return nil
	}
	s.scroll = at
	return screen.Handled{}
}

// View implements screen.Screen.
func (s *Screen) View(d screen.Data, f screen.Frame) []string {
	ls := lines(d, f)
	from := min(s.scroll, max(len(ls)-f.Height, 0))
	to := min(from+max(f.Height, 0), len(ls))
	return f.Lines(ls[from:to])
}

func lines(d screen.Data, f screen.Frame) []story.Line {
	o := f.Story
	out := append(story.Title(d.Run, o), story.Line{})
	if d.Summary == nil {
		out = append(out, wrapped(story.State(d.Progress, o), story.Body, o)...)
		return append(out, wrapped("The time line is drawn when the run has ended.", story.Muted, o)...)
	}
	if t := story.Timeline(d.Summary.Timeline, o); len(t) > 0 {
		out = append(append(out, t...), story.Line{})
	}
	out = append(out, story.Claims(d.Summary.Final.Claims, o)...)
	for _, x := range d.Findings {
		out = append(out, story.Line{})
		out = append(out, wrapped(x.Message, story.Bad, o)...)
		out = append(out, wrapped(x.Why, story.Body, o)...)
	}
	out = append(out, story.Line{})
	for _, text := range slices.Concat(d.Summary.Reasons, d.Summary.Notes) {
		out = append(out, wrapped(text, story.Muted, o)...)
	}
	return out
}

func wrapped(s string, role story.Role, o story.Options) []story.Line {
	var out []story.Line
	for _, l := range story.Wrap(o.Text(s), o.Width, 2) {
		out = append(out, story.Line{Segments: []story.Segment{{Text: l, Role: role}}})
	}
	return out
}
