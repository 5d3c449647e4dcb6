// Package style is the one style sheet of the terminal UI: which colour each
// role of text has on a light and on a dark ground. Styles are pure; the
// program reduces them to what the terminal can show.
//
// The palette is Okabe and Ito's, which people with any common colour blindness
// can tell apart (Color Universal Design, 2008). No state is told by colour
// alone, and never red against green.
package style

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/ccheck/ccheck/tui/story"
)

// Themes are the names that New knows.
func Themes() []string { return []string{"default", "high-contrast", "mono"} }

// Known reports whether there is a theme of that name; the empty name is the default.
func Known(theme string) bool { return theme == "" || slices.Contains(Themes(), theme) }

// Sheet holds the styles.
type Sheet struct {
	roles  map[story.Role]lipgloss.Style
	heat   []lipgloss.Style
	cursor lipgloss.Style
	Bar    lipgloss.Style // the first line
	Foot   lipgloss.Style // the last line
	Key    lipgloss.Style // a key in the last line
	Chart  lipgloss.Style
}

// The palette.
const (
	blue      = "#0072B2"
	sky       = "#56B4E9"
	green     = "#009E73"
	orange    = "#E69F00"
	vermilion = "#D55E00"
	purple    = "#CC79A7"
	darkRose  = "#9C3F74"
	darkGold  = "#8A5F00"
)

// cividis is Nuñez, Anderton and Renslow's colour map (2018) in five steps.
var cividis = [...]string{"#31446B", "#666970", "#958F78", "#CBBA69", "#FEE838"}

// New returns the sheet of a theme for a dark or a light ground. An unknown
// theme is the default one.
func New(theme string, dark bool) Sheet {
	if theme == "mono" {
		return mono()
	}
	pick := func(onDark, onLight string) lipgloss.Style {
		c := onLight
		if dark {
			c = onDark
		}
		return lipgloss.NewStyle().Foreground(lipgloss.Color(c))
	}
	muted := lipgloss.NewStyle().Faint(true)
	if theme == "high-contrast" {
		muted = lipgloss.NewStyle()
	}
	bold := lipgloss.NewStyle().Bold(true)
	s := Sheet{roles: map[story.Role]lipgloss.Style{
		story.Body: lipgloss.NewStyle(), story.Muted: muted, story.Strong: bold, story.Code: bold,
		story.LaneA: pick(sky, blue).Bold(true), story.LaneB: pick(purple, darkRose).Bold(true),
		story.LaneC: pick(green, "#00704F").Bold(true), story.LaneD: pick(orange, darkGold).Bold(true),
		story.Read: pick(sky, blue), story.Wrote: pick(purple, darkRose),
		story.Wait: pick(orange, darkGold), story.Good: pick(green, "#00704F"),
		story.Bad: pick(vermilion, "#B04A00").Bold(true), story.Warn: pick(orange, darkGold), story.Edge: pick(orange, darkGold),
	}}
	for _, c := range cividis {
		s.heat = append(s.heat, lipgloss.NewStyle().Foreground(lipgloss.Color(c)))
	}
	if !dark {
		slices.Reverse(s.heat)
	}
	s.Chart = pick(sky, blue)
	s.frame()
	return s
}

// mono has no colour; weight and inversion carry what colour would.
func mono() Sheet {
	s := Sheet{roles: map[story.Role]lipgloss.Style{}}
	bold := lipgloss.NewStyle().Bold(true)
	for _, r := range []story.Role{story.Strong, story.Bad, story.LaneA, story.LaneB, story.LaneC, story.LaneD, story.Code} {
		s.roles[r] = bold
	}
	s.roles[story.Muted] = lipgloss.NewStyle().Faint(true)
	for range cividis {
		s.heat = append(s.heat, lipgloss.NewStyle())
	}
	s.frame()
	return s
}

func (s *Sheet) frame() {
	s.cursor = lipgloss.NewStyle().Reverse(true)
	s.Bar = lipgloss.NewStyle().Bold(true)
	s.Foot = lipgloss.NewStyle().Faint(true)
	s.Key = lipgloss.NewStyle().Bold(true)
}

// Role colours text.
func (s Sheet) Role(r story.Role, text string) string {
	st, ok := s.roles[r]
	if !ok || strings.TrimSpace(text) == "" {
		return text
	}
	return st.Render(text)
}

// Line colours a line.
func (s Sheet) Line(l story.Line) string {
	var b strings.Builder
	for _, seg := range l.Segments {
		b.WriteString(s.Role(seg.Role, seg.Text))
	}
	return b.String()
}

// Cursor inverts a line as a whole, so that its colours cannot make it unreadable.
func (s Sheet) Cursor(text string) string { return s.cursor.Render(text) }

// Heat colours a cell of a heat map; level runs from 0 (nothing) to 5 (most).
func (s Sheet) Heat(level int, text string) string {
	if level <= 0 || len(s.heat) == 0 {
		return text
	}
	return s.heat[min(level, len(s.heat))-1].Render(text)
}
