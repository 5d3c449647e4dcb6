// Package result is the screen of what a run came to: the claims, the counts,
// how much it proves, the tables and the verdict in words. While the run goes
// on it says where it stands.
package result

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// Screen is the result.
type Screen struct{ scroll screen.Scroll }

// New returns the screen.
func New() *Screen { return &Screen{} }

// Name implements screen.Screen.
func (*Screen) Name() string { return screen.Result }

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
		return append(out, running(d, o)...)
	}
	out = append(out, story.Result(*d.Summary, len(d.Findings), o)...)
	out = append(out, story.Line{})
	for _, l := range story.Wrap(o.Text(d.Summary.Line), o.Width, 2) {
		out = append(out, text(l, story.Strong))
	}
	return out
}

// running is where the run stands.
func running(d screen.Data, o story.Options) []story.Line {
	var out []story.Line
	for _, l := range story.Wrap(story.State(d.Progress, o), o.Width, 2) {
		out = append(out, text(l, story.Body))
	}
	out = append(out, text("The run is judged when it has ended.", story.Muted))
	out = append(out, story.Line{})
	return append(out, story.Claims(d.Progress.Claims, o)...)
}

func text(s string, role story.Role) story.Line {
	return story.Line{Segments: []story.Segment{{Text: s, Role: role}}}
}
