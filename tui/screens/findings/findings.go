// Package findings is the list of what the judges found, with the head of the
// selected one below it.
package findings

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

var sortKey = screen.Key{Keys: []string{"s"}, Does: "sort by severity, by time or by count", Short: "sort"}

// The orders, in the order of the sort key.
var orders = [...]string{"severity", "time", "count"}

// Screen is the list of findings.
type Screen struct {
	list  screen.List
	order int
}

// New returns the screen.
func New() *Screen { return &Screen{} }

// Name implements screen.Screen.
func (*Screen) Name() string { return screen.Findings }

// Keys implements screen.Screen.
func (*Screen) Keys() []screen.Key {
	return append([]screen.Key{screen.Enter, screen.Filter, sortKey, screen.Follow}, screen.Moves()...)
}

// Capturing implements screen.Screen.
func (s *Screen) Capturing() bool { return s.list.Capturing() }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg, d screen.Data, f screen.Frame) screen.Intent {
	items := s.items(d)
	switch {
	case s.list.Capturing():
		s.list.Update(msg, items, f.Height)
	case sortKey.Is(msg):
		s.order = (s.order + 1) % len(orders)
	case screen.Enter.Is(msg):
		if i, ok := s.Focus(d); ok {
			return screen.Choose{Finding: i}
		}
	case s.list.Update(msg, items, listHeight(len(items), f)):
	default:
		return nil
	}
	return screen.Handled{}
}

// Focus implements screen.Focuser: the selected finding.
func (s *Screen) Focus(d screen.Data) (int, bool) {
	i, err := strconv.Atoi(s.list.Selected(s.items(d)))
	return i, err == nil
}

// items are the findings in their order; a finding is named by its place in the
// order of arrival, which never changes.
func (s *Screen) items(d screen.Data) []screen.Item {
	var order []int
	for i, f := range d.Findings {
		if !d.Faults || f.Severity == report.High {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.compare(d.Findings[a], d.Findings[b]) })
	out := make([]screen.Item, len(order))
	for k, i := range order {
		f := d.Findings[i]
		out[k] = screen.Item{ID: strconv.Itoa(i), Text: story.Name(f) + " " + f.Claim + " " + f.Message}
	}
	return out
}

func (s *Screen) compare(a, b report.Finding) int {
	switch orders[s.order] {
	case "time":
		return int(min(max(a.First-b.First, -1), 1))
	case "count":
		return b.Count - a.Count
	}
	return b.Severity.Rank() - a.Severity.Rank()
}

// listHeight leaves room for the preview where there is any.
func listHeight(n int, f screen.Frame) int {
	if f.Compact {
		return f.Height - 1
	}
	return min(n, f.Height/2)
}

// View implements screen.Screen.
func (s *Screen) View(d screen.Data, f screen.Frame) []string {
	all := s.items(d)
	note := fmt.Sprintf("%d, sorted by %s", len(all), orders[s.order])
	if d.Faults {
		note += ", faults only"
	}
	if p := s.list.Prompt(); p != "" {
		note += "  " + p
	}
	out := []string{f.Title("Findings", note, true)}
	if len(all) == 0 {
		return append(out, empty(d, f)...)
	}
	visible := s.list.Visible(all)
	at := s.list.Index(visible)
	from, to := screen.Window(at, len(visible), listHeight(len(visible), f))
	for i := from; i < to; i++ {
		out = append(out, s.row(d, f, visible[i], i == at))
	}
	if i, ok := s.Focus(d); ok && !f.Compact {
		out = append(out, "")
		out = append(out, preview(d.Findings[i], f)...)
	}
	return out
}

func (s *Screen) row(d screen.Data, f screen.Frame, it screen.Item, cursor bool) string {
	i, err := strconv.Atoi(it.ID)
	if err != nil {
		return ""
	}
	o := f.Story
	o.Width = f.Width - 1
	l := story.Brief(d.Findings[i], o)
	l.Segments = append([]story.Segment{{Text: " "}}, l.Segments...)
	return f.Row(l, cursor)
}

// preview is the story of the selected finding as far as there is room.
func preview(fd report.Finding, f screen.Frame) []string {
	return f.Lines(story.Tell(fd, f.Story))
}

// empty says why there is nothing.
func empty(d screen.Data, f screen.Frame) []string {
	text := "Nothing yet. The judges tell their findings when the run has ended."
	switch {
	case d.Faults && len(d.Findings) > 0:
		text = "No finding of high severity; z shows the others."
	case d.Summary != nil:
		text = "No finding. The result screen says how much that proves."
	}
	var out []string
	for _, l := range story.Wrap(text, f.Width-2, 0) {
		out = append(out, "  "+l)
	}
	return out
}
