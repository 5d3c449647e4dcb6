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
type Screen struct{ scroll screen.Scroll }

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
	return s.scroll.Update(msg, len(lines(d, f)), f)
}

// View implements screen.Screen.
func (s *Screen) View(d screen.Data, f screen.Frame) []string {
	return s.scroll.View(lines(d, f), f)
}

func lines(d screen.Data, f screen.Frame) []story.Line {
	o := f.Story
	out := append(story.Title(d.Run, o), story.Line{})
	if d.Summary == nil {
		out = append(out, screen.Wrapped(story.State(d.Progress, o), story.Body, o)...)
		return append(out, screen.Wrapped("The time line is drawn when the run has ended.", story.Muted, o)...)
	}
	if t := story.Timeline(d.Summary.Timeline, o); len(t) > 0 {
		out = append(append(out, t...), story.Line{})
	}
	out = append(out, story.Claims(d.Summary.Final.Claims, o)...)
	for _, x := range d.Findings {
		out = append(out, story.Line{})
		out = append(out, screen.Wrapped(x.Message, story.Bad, o)...)
		out = append(out, screen.Wrapped(x.Why, story.Body, o)...)
	}
	out = append(out, story.Line{})
	for _, text := range slices.Concat(d.Summary.Reasons, d.Summary.Notes) {
		out = append(out, screen.Wrapped(text, story.Muted, o)...)
	}
	return out
}
