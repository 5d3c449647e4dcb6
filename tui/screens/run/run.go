// Package run is the screen of a live run: the claims and how they stand, calls
// per second and latencies over one time axis, violations as they are seen,
// and how hard the run tries. It shows counts that the probe sampled; it
// judges nothing.
package run

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
)

// The keys of this screen alone.
var (
	pane   = screen.Key{Keys: []string{"tab"}, Does: "next pane", Short: "pane"}
	paneUp = screen.Key{Keys: []string{"shift+tab"}, Does: "previous pane"}
	zoom   = screen.Key{Keys: []string{"+", "="}, Does: "give the pane the whole screen", Short: "zoom"}
	shrink = screen.Key{Keys: []string{"_", "-"}, Does: "show all panes again"}
)

// The panes, in the order of the tab key.
const (
	violations = iota
	claims
	charts
	panes
)

// Screen is the live run.
type Screen struct {
	focus  int
	zoomed bool
	ticker screen.List
	claims screen.List
	open   map[string]bool // groups of violations that are unfolded
}

// New returns the screen.
func New() *Screen { return &Screen{open: map[string]bool{}} }

// Name implements screen.Screen.
func (*Screen) Name() string { return screen.Run }

// Keys implements screen.Screen.
func (*Screen) Keys() []screen.Key {
	enter := screen.Enter
	enter.Does = "open the story of the selected line, or unfold it"
	return append([]screen.Key{enter, screen.Filter, screen.Follow, pane, paneUp, zoom, shrink}, screen.Moves()...)
}

// Capturing implements screen.Screen.
func (s *Screen) Capturing() bool { return s.ticker.Capturing() || s.claims.Capturing() }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg, d screen.Data, f screen.Frame) screen.Intent {
	list, items := s.list(d)
	if list.Capturing() {
		list.Update(msg, items, f.Height)
		return screen.Handled{}
	}
	switch {
	case pane.Is(msg):
		s.focus = (s.focus + 1) % panes
	case paneUp.Is(msg):
		s.focus = (s.focus + panes - 1) % panes
	case zoom.Is(msg):
		s.zoomed = true
	case shrink.Is(msg) && s.zoomed, back.Is(msg) && s.zoomed:
		s.zoomed = false
	case screen.Enter.Is(msg):
		return s.enter(d)
	case list.Update(msg, items, f.Height/2):
	default:
		return nil
	}
	return screen.Handled{}
}

var back = screen.Key{Keys: []string{"esc"}}

// list is the list that has the keys.
func (s *Screen) list(d screen.Data) (*screen.List, []screen.Item) {
	if s.focus == claims {
		return &s.claims, claimItems(d)
	}
	return &s.ticker, items(s.entries(d))
}

// enter opens the story of what is selected; a folded group without a story is
// unfolded.
func (s *Screen) enter(d screen.Data) screen.Intent {
	if i, ok := s.Focus(d); ok {
		return screen.Choose{Finding: i}
	}
	list, items := s.list(d)
	if id := list.Selected(items); s.focus != claims && id != "" {
		s.open[id] = !s.open[id]
	}
	return screen.Handled{}
}

// Focus implements screen.Focuser: the finding that tells the story of the
// selected line, if one does.
func (s *Screen) Focus(d screen.Data) (int, bool) {
	list, items := s.list(d)
	id := list.Selected(items)
	if s.focus == claims {
		return byClaim(d, id)
	}
	for _, e := range s.entries(d) {
		if e.id != id {
			continue
		}
		if e.v.Finding >= 0 && e.v.Finding < len(d.Findings) {
			return e.v.Finding, true
		}
		return byClaim(d, e.v.Claim)
	}
	return 0, false
}

// byClaim is the first finding that breaks a claim.
func byClaim(d screen.Data, claim string) (int, bool) {
	i := slices.IndexFunc(d.Findings, func(f report.Finding) bool { return f.Claim == claim })
	return i, i >= 0 && claim != ""
}
