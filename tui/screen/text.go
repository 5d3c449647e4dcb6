package screen

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/tui/story"
)

// Text is a Screen that is one text, longer than the frame: a first screen on
// which nothing is chosen.
type Text struct {
	name   string
	lines  func(Data, story.Options) []story.Line
	scroll Scroll
}

// NewText returns a screen of that name. The lines follow the name of the run.
func NewText(name string, lines func(Data, story.Options) []story.Line) *Text {
	return &Text{name: name, lines: lines}
}

// Name implements Screen.
func (t *Text) Name() string { return t.name }

// Keys implements Screen.
func (*Text) Keys() []Key { return Moves() }

// Capturing implements Screen.
func (*Text) Capturing() bool { return false }

// Update implements Screen.
func (t *Text) Update(msg tea.Msg, d Data, f Frame) Intent {
	return t.scroll.Update(msg, len(t.all(d, f)), f)
}

// View implements Screen.
func (t *Text) View(d Data, f Frame) []string { return t.scroll.View(t.all(d, f), f) }

func (t *Text) all(d Data, f Frame) []story.Line {
	out := append(story.Title(d.Run, f.Story), story.Line{})
	return append(out, t.lines(d, f.Story)...)
}
