package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/internal/chart"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// The sizes at which the UI changes.
const (
	minWidth, minHeight         = 40, 12
	compactWidth, compactHeight = 60, 24
	wide                        = 100
)

func (m *model) tooSmall() bool { return m.width < minWidth || m.height < minHeight }

// frame is the space between the first and the last line.
func (m *model) frame() screen.Frame {
	return screen.Frame{
		Width: m.width, Height: max(m.height-2, 0), Sheet: m.sheet,
		Compact: m.width < compactWidth || m.height < compactHeight,
		Story:   story.Options{Width: m.width, ASCII: m.opts.ASCII},
	}
}

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView(m.content())
	v.AltScreen = true
	v.WindowTitle = strings.TrimSpace("ccheck " + story.Clean(m.shown.Run.Probe+" "+m.shown.Run.Scenario))
	return v
}

// content is the whole screen: no line wider than the terminal, no more lines
// than it has.
func (m *model) content() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	if m.tooSmall() {
		return strings.Join(m.cut(m.smallNote(), m.height), "\n")
	}
	f := m.frame()
	body := m.body(f)
	lines := m.cut(append([]string{m.header(f)}, body...), m.height-1)
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	return strings.Join(append(lines, m.cut([]string{m.footer(f)}, 1)...), "\n")
}

func (m *model) body(f screen.Frame) []string {
	if m.overlay != nil {
		return m.overlay.view(m, f)
	}
	return m.screen().View(m.data(), f)
}

// cut bounds lines to the terminal.
func (m *model) cut(lines []string, height int) []string {
	lines = lines[:min(len(lines), max(height, 0))]
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = ansi.Truncate(l, m.width, "")
	}
	return out
}

func (m *model) smallNote() []string {
	text := fmt.Sprintf("ccheck needs a terminal of %d by %d cells, this one has %d by %d; q quits.", minWidth, minHeight, m.width, m.height)
	return story.Wrap(text, m.width, 0)
}

// part is a piece of the first line; the highest rank is dropped first.
type part struct {
	text string
	rank int
}

// header is the first line: what runs where, in which state, since when.
func (m *model) header(f screen.Frame) string {
	r, o := m.shown.Run, f.Story
	word, role := m.state()
	parts := []part{
		{m.sheet.Bar.Render(strings.TrimSpace("ccheck " + o.Text(r.Probe))), 1},
		{m.sheet.Role(role, word), 0},
		{o.Text(r.Scenario), 2},
		{seed(r), 3},
		{clients(r), 5},
		{o.Text(r.Isolation), 4},
		{strings.TrimSpace(o.Text(r.Server + " " + r.Target)), 6},
		{m.clock(o), 1},
	}
	if m.paused {
		parts = append(parts, part{m.sheet.Role(story.Warn, "DISPLAY PAUSED"), 0})
	}
	return fitParts(parts, m.width)
}

func seed(r report.Run) string {
	if r.Seed == 0 {
		return "" // nothing is chosen at random
	}
	return fmt.Sprintf("seed %d", r.Seed)
}

func clients(r report.Run) string {
	if r.Clients == 0 {
		return ""
	}
	return fmt.Sprintf("clients %d", r.Clients)
}

// fitParts joins the parts that fit into the width, by rank.
func fitParts(parts []part, width int) string {
	for rank := 6; ; rank-- {
		var said []string
		for _, p := range parts {
			if p.text != "" {
				said = append(said, p.text)
			}
		}
		line := strings.Join(said, "  ")
		if ansi.StringWidth(line) <= width || rank == 0 {
			return line
		}
		for i := range parts {
			if parts[i].rank == rank {
				parts[i].text = ""
			}
		}
	}
}

// state is the state of the run in a word.
func (m *model) state() (string, story.Role) {
	switch s := m.shown.Summary; {
	case s != nil:
		role := story.VerdictRole(s.Verdict)
		return story.Options{ASCII: m.opts.ASCII}.Sign(role) + " " + strings.ToUpper(string(s.Verdict)), role
	case m.stopping:
		return "STOPPING", story.Warn
	case m.shown.Progress.Phase == "":
		return "STARTING", story.Warn
	}
	return strings.ToUpper(story.Clean(m.shown.Progress.Phase)), story.Good
}

// clock is how far the run is.
func (m *model) clock(o story.Options) string {
	p := m.shown.Progress
	if p.Elapsed == 0 {
		return ""
	}
	said := fmt.Sprintf("%.1f s", p.Elapsed.Seconds())
	if p.Total > 0 {
		said = fmt.Sprintf("%.1f/%s", p.Elapsed.Seconds(), o.Dur(p.Total))
		if m.width >= wide && m.shown.Summary == nil {
			said += " " + chart.Bar(p.Elapsed.Seconds(), p.Total.Seconds(), 16, o.ASCII)
		}
	}
	return said
}

// footer is the last line: what was just said, or the keys that matter here.
func (m *model) footer(f screen.Frame) string {
	if m.flash != "" {
		return m.sheet.Role(story.Warn, ansi.Truncate(" "+f.Story.Text(m.flash), m.width, f.Glyph("…", "...")))
	}
	tabs := ""
	if m.width >= compactWidth {
		tabs = m.tabs()
	}
	room := m.width - ansi.StringWidth(tabs) - 1
	keys := m.hints(f, room)
	gap := max(m.width-ansi.StringWidth(keys)-ansi.StringWidth(tabs), 0)
	return keys + strings.Repeat(" ", gap) + tabs
}

// tabs names the screens with their number keys; where there is little room,
// the number keys and the screen that is shown.
func (m *model) tabs() string {
	var said []string
	for i, s := range m.screens {
		text := fmt.Sprintf("%d %s", i+1, s.Name())
		switch {
		case i == m.at:
			said = append(said, m.sheet.Key.Render("["+text+"]"))
		case m.width < wide:
			said = append(said, m.sheet.Foot.Render(strconv.Itoa(i+1)))
		default:
			said = append(said, m.sheet.Foot.Render(text))
		}
	}
	return strings.Join(said, " ")
}

// hints are the keys that fit, those of the screen before those of all; help
// and the way out are always there.
func (m *model) hints(f screen.Frame, room int) string {
	hints, last := m.keysNow()
	sep := f.Glyph(" · ", " | ")
	end := " " + strings.Join(last, sep)
	line := ""
	for _, h := range hints {
		if ansi.StringWidth(line+" "+h+sep+end) > room {
			break
		}
		line += " " + h + strings.TrimRight(sep, " ")
	}
	return line + end
}

func (m *model) keysNow() (hints, last []string) {
	out := "quit"
	if m.running() {
		out = "stop"
	}
	switch {
	case m.overlay != nil:
		last = []string{m.hint("esc", "close"), m.hint("q", out)}
		switch m.overlay.(type) {
		case *help: // it is longer than most terminals are high
			last = append([]string{m.hint("j k", "scroll")}, last...)
		case *confirm:
			last = append([]string{m.hint("enter", "make it"), m.hint("j k", "scroll")}, last...)
		}
		return nil, last
	case m.screen().Capturing():
		return nil, []string{"type to filter", m.hint("enter", "keep"), m.hint("esc", "drop")}
	}
	for _, k := range append(m.screen().Keys(), copyKey, exportKey, pauseKey, faultsKey) {
		if k.Short != "" {
			hints = append(hints, m.hint(k.Keys[0], k.Short))
		}
	}
	last = []string{m.hint("?", "help"), m.hint("q", out)}
	deep, ok := m.screen().(screen.Deep)
	if len(m.trail) > 0 || ok && deep.Inside() {
		last = append([]string{m.hint("esc", "back")}, last...)
	}
	return hints, last
}

func (m *model) hint(key, does string) string {
	return m.sheet.Key.Render(key) + " " + m.sheet.Foot.Render(does)
}
