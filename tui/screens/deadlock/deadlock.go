// Package deadlock is the first screen of a run in which transactions wait for each
// other: for one finding the circle of locks, every statement of each side, and the
// order that leaves no circle. While the run goes on it says where it stands.
package deadlock

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// Screen shows one circle after the other.
type Screen struct {
	at     int
	scroll screen.Scroll
}

// New returns the screen.
func New() *Screen { return &Screen{} }

// Name implements screen.Screen.
func (*Screen) Name() string { return screen.Deadlock }

// Keys implements screen.Screen.
func (*Screen) Keys() []screen.Key {
	return append([]screen.Key{screen.Next, screen.Previous}, screen.Moves()...)
}

// Capturing implements screen.Screen.
func (*Screen) Capturing() bool { return false }

// Focus implements screen.Focuser.
func (s *Screen) Focus(d screen.Data) (int, bool) {
	return min(s.at, len(d.Findings)-1), len(d.Findings) > 0
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg, d screen.Data, f screen.Frame) screen.Intent {
	n := len(d.Findings)
	switch {
	case screen.Next.Is(msg) && n > 0:
		s.at, s.scroll = (s.at+1)%n, screen.Scroll{}
		return screen.Handled{}
	case screen.Previous.Is(msg) && n > 0:
		s.at, s.scroll = (s.at+n-1)%n, screen.Scroll{}
		return screen.Handled{}
	}
	return s.scroll.Update(msg, len(s.lines(d, f.Story)), f)
}

// View implements screen.Screen.
func (s *Screen) View(d screen.Data, f screen.Frame) []string {
	return s.scroll.View(s.lines(d, f.Story), f)
}

func (s *Screen) lines(d screen.Data, o story.Options) []story.Line {
	out := append(story.Title(d.Run, o), story.Line{})
	i, any := s.Focus(d)
	switch {
	case any:
		f := d.Findings[i]
		if len(d.Findings) > 1 {
			out = append(out, screen.Wrapped(fmt.Sprintf("circle %d of %d", i+1, len(d.Findings)), story.Muted, o)...)
		}
		out = append(out, story.Head(f, o)...)
		out = append(append(out, story.Line{}), ring(f, o)...)
		out = append(out, sides(f, o)...)
		out = append(out, cure(f, o)...)
	case d.Summary == nil:
		return append(out, screen.Running(d, "The circles are drawn when the run has ended.", o)...)
	}
	if d.Summary == nil {
		return out
	}
	rest := d
	rest.Findings = nil
	return append(out, screen.Outcome(rest, o)...)
}

// ring draws the circle: each lane, what it waits for, and an arrow to who has it.
func ring(f report.Finding, o story.Options) []story.Line {
	if len(f.Ring) == 0 {
		return nil
	}
	down, back := "│", "└─ back to "
	if o.ASCII {
		down, back = "|", "+- back to "
	}
	out := screen.Wrapped("who waits for whom", story.Strong, o)
	for i, l := range f.Ring {
		next := f.Ring[(i+1)%len(f.Ring)]
		text := fmt.Sprintf("%s waits for %s, which %s has", name(f, l.Lane), l.For, name(f, next.Lane))
		if l.Held != "" {
			text += " since its " + l.Held
		}
		out = append(out, screen.Wrapped(text, story.Wait, o)...)
		if i < len(f.Ring)-1 {
			out = append(out, screen.Wrapped(down, story.Muted, o)...)
			continue
		}
		out = append(out, screen.Wrapped(back+name(f, next.Lane), story.Muted, o)...)
	}
	return append(out, story.Line{})
}

func name(f report.Finding, lane int) string {
	if lane < 0 || lane >= len(f.Lanes) {
		return "another"
	}
	return f.Lanes[lane].Name
}

// sides tells every statement of each lane, in its order.
func sides(f report.Finding, o story.Options) []story.Line {
	var out []story.Line
	for lane, l := range f.Lanes {
		out = append(out, screen.Wrapped(strings.TrimSpace(l.Name+"  "+l.Detail), story.Strong, o)...)
		n := 0
		for _, s := range f.Steps {
			if s.Lane != lane {
				continue
			}
			n++
			out = append(out, screen.Wrapped(fmt.Sprintf("%d %s", n, s.Text), story.Body, o)...)
			out = append(out, below(s.Wait, story.Wait, o)...)
			role := story.Good
			if strings.HasPrefix(s.Result, "ERROR") {
				role = story.Bad
			}
			out = append(out, below(s.Result, role, o)...)
		}
		out = append(out, story.Line{})
	}
	return out
}

// below is a text that belongs to the line above it; "" is none.
func below(text string, role story.Role, o story.Options) []story.Line {
	var out []story.Line
	for _, l := range story.Wrap(o.Text(text), max(o.Width-4, 1), 0) {
		if l != "" {
			out = append(out, story.Line{Segments: []story.Segment{{Text: "    " + l, Role: role}}})
		}
	}
	return out
}

// cure is the order that leaves no circle, or else what comes first.
func cure(f report.Finding, o story.Options) []story.Line {
	if len(f.Fixes) == 0 {
		return nil
	}
	best := f.Fixes[0]
	for _, x := range f.Fixes {
		if x.Kind == report.Order {
			best = x
			break
		}
	}
	out := screen.Wrapped("what cures it", story.Strong, o)
	out = append(out, screen.Wrapped(best.Title, story.Good, o)...)
	for _, line := range strings.Split(best.SQL, "\n") {
		out = append(out, below(line, story.Body, o)...)
	}
	if best.Verified != "" {
		out = append(out, screen.Wrapped(best.Verified, story.Muted, o)...)
	}
	return append(out, story.Line{})
}
