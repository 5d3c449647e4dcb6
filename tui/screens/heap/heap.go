// Package heap is the screen of a run over a heap: what grew with its trend, and
// for the selected line who holds it, why it grows and what to do.
package heap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

var trendKey = screen.Key{Keys: []string{"t"}, Does: "show the snapshots of the selected line as a chart, or who holds it", Short: "trend"}

// Screen is the list of what grew.
type Screen struct {
	list  screen.List
	trend bool
}

// New returns the screen.
func New() *Screen { return &Screen{} }

// Name implements screen.Screen.
func (*Screen) Name() string { return screen.Heap }

// Keys implements screen.Screen.
func (*Screen) Keys() []screen.Key {
	return append([]screen.Key{screen.Enter, trendKey, screen.Filter, screen.Follow}, screen.Moves()...)
}

// Capturing implements screen.Screen.
func (s *Screen) Capturing() bool { return s.list.Capturing() }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg, d screen.Data, f screen.Frame) screen.Intent {
	items := s.items(d)
	switch {
	case s.list.Capturing():
		s.list.Update(msg, items, f.Height)
	case trendKey.Is(msg):
		s.trend = !s.trend
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

// Focus implements screen.Focuser: the finding of the selected leak.
func (s *Screen) Focus(d screen.Data) (int, bool) {
	g, ok := s.selected(d)
	if !ok {
		return 0, false
	}
	i := slices.IndexFunc(d.Findings, func(f report.Finding) bool {
		return f.Growth != nil && f.Growth.Name == g.Name && f.Growth.Owner == g.Owner && f.Growth.Unit == g.Unit
	})
	return i, i >= 0
}

func growths(d screen.Data) []report.Growth {
	if d.Summary == nil || d.Summary.Heap == nil {
		return nil
	}
	return d.Summary.Heap.Growths
}

// items are the lines; one is named by its place, which does not change once the
// run has ended.
func (*Screen) items(d screen.Data) []screen.Item {
	var out []screen.Item
	for i, g := range growths(d) {
		if d.Faults && g.Verdict != report.Leak {
			continue
		}
		out = append(out, screen.Item{ID: strconv.Itoa(i), Text: string(g.Verdict) + " " + g.Name + " " + g.Owner})
	}
	return out
}

func (s *Screen) selected(d screen.Data) (report.Growth, bool) {
	i, err := strconv.Atoi(s.list.Selected(s.items(d)))
	all := growths(d)
	if err != nil || i >= len(all) {
		return report.Growth{}, false
	}
	return all[i], true
}

// listHeight leaves half of the screen to the selected line.
func listHeight(n int, f screen.Frame) int { return max(min(n, f.Height/2-2), 1) }

// View implements screen.Screen.
func (s *Screen) View(d screen.Data, f screen.Frame) []string {
	if d.Summary == nil || d.Summary.Heap == nil {
		return waiting(d, f)
	}
	h := d.Summary.Heap
	out := f.Lines(facts(h, f.Story))
	all := s.items(d)
	note := fmt.Sprintf("%d, noise %d", len(all), h.Folded)
	if p := s.list.Prompt(); p != "" {
		note += "  " + p
	}
	out = append(out, f.Title("What grew", note, true))
	visible := s.list.Visible(all)
	if len(visible) == 0 {
		return append(out, "  Nothing.")
	}
	at := s.list.Index(visible)
	c := columnsOf(h.Growths, f)
	out = append(out, f.Sheet.Line(c.head(f)))
	from, to := screen.Window(at, len(visible), listHeight(len(visible), f))
	for i := from; i < to; i++ {
		if k, err := strconv.Atoi(visible[i].ID); err == nil {
			out = append(out, f.Row(c.row(h.Growths[k], f), i == at))
		}
	}
	if g, ok := s.selected(d); ok {
		out = append(out, "")
		out = append(out, s.detail(d, g, h, f)...)
	}
	return out
}

// waiting is what there is to say before the heap was judged.
func waiting(d screen.Data, f screen.Frame) []string {
	text := "The heap is judged when all snapshots have been taken."
	if d.Progress.Phase != "" {
		text = strings.ToUpper(d.Progress.Phase[:1]) + d.Progress.Phase[1:] + ". " + text
	}
	var out []string
	for _, l := range story.Wrap(f.Story.Text(text), f.Width-2, 0) {
		out = append(out, "  "+l)
	}
	return out
}

// facts are the heap as a whole in a line or two.
func facts(h *report.Heap, o story.Options) []story.Line {
	first, last := h.Points[0], h.Points[len(h.Points)-1]
	said := []string{fmt.Sprintf("%d snapshots", len(h.Points))}
	if last.At > 0 {
		said[0] += " in " + o.Dur(last.At)
	}
	said = append(said, o.Text(story.Bytes(first.Bytes)+" → "+story.Bytes(last.Bytes)))
	if h.PerMinute != 0 {
		said = append(said, "+"+story.Bytes(int64(h.PerMinute))+" a minute")
	}
	if h.Limit > 0 {
		text := story.Bytes(h.Limit) + " is " + h.LimitName
		if h.Full > 0 {
			text += ", reached in " + o.Dur(h.Full)
		}
		said = append(said, text)
	}
	for _, p := range slices.Backward(h.Points) {
		if p.PauseP99 > 0 {
			said = append(said, "GC p99 "+o.Dur(p.PauseP99))
			break
		}
	}
	var out []story.Line
	for _, l := range story.Wrap(strings.Join(said, ",  "), o.Width-1, 1) {
		out = append(out, text(" "+strings.TrimSpace(l), story.Muted))
	}
	return out
}

func text(s string, role story.Role) story.Line {
	return story.Line{Segments: []story.Segment{{Text: s, Role: role}}}
}
