package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// overlay lies over the screen and has the keys until esc closes it.
type overlay interface {
	view(*model, screen.Frame) []string
	key(*model, tea.KeyPressMsg) tea.Cmd
}

// overlayKey gives a key to the overlay; the ways out are the same for all.
func (m *model) overlayKey(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case backKey.Is(msg), helpKey.Is(msg):
		m.overlay = nil
		return nil
	case quitKey.Is(msg):
		m.overlay = nil
		return m.quit()
	}
	return m.overlay.key(m, msg)
}

// help lists the keys: those of the screen below it, those of all, the others.
type help struct{ scroll int }

func (h *help) key(m *model, msg tea.KeyPressMsg) tea.Cmd {
	f := m.frame()
	last := max(len(h.lines(m, f))-f.Height, 0)
	if at, moved := screen.Move(msg, min(h.scroll, last), last+1, f.Height); moved {
		h.scroll = at
	}
	return nil
}

func (h *help) view(m *model, f screen.Frame) []string {
	lines := h.lines(m, f)
	from := min(h.scroll, max(len(lines)-f.Height, 0))
	return lines[from:min(from+f.Height, len(lines))]
}

func (h *help) lines(m *model, f screen.Frame) []string {
	groups := keymap(m.screens)
	here := m.at + 1
	order := []Group{groups[here], groups[0]}
	for i := 1; i < len(groups); i++ {
		if i != here {
			order = append(order, groups[i])
		}
	}
	var out []string
	for i, g := range order {
		title := "Keys of the screen " + g.Screen
		if g.Screen == groups[0].Screen {
			title = "Keys that work everywhere"
		}
		if i > 0 {
			out = append(out, "")
		}
		out = append(out, f.Title(title, "", i == 0))
		for _, k := range g.Keys {
			out = append(out, helpLines(k, f)...)
		}
	}
	return out
}

const keyColumn = 16

func helpLines(k screen.Key, f screen.Frame) []string {
	label := k.Label(f.Story.ASCII)
	var out []string
	for i, text := range story.Wrap(f.Story.Text(k.Does), f.Width-keyColumn-3, 0) {
		if i > 0 {
			label = ""
		}
		gap := max(keyColumn-ansi.StringWidth(label), 1)
		out = append(out, "  "+f.Sheet.Key.Render(label)+fmt.Sprintf("%*s", gap, "")+text)
	}
	return out
}

// picker chooses a format for the export.
type picker struct{ at int }

func (p *picker) key(m *model, msg tea.KeyPressMsg) tea.Cmd {
	formats := m.opts.Formats
	if screen.Enter.Is(msg) {
		m.overlay = nil
		return export(m.opts.Export, formats[p.at])
	}
	if at, moved := screen.Move(msg, p.at, len(formats), len(formats)); moved {
		p.at = at
	}
	return nil
}

// export writes the file outside the event loop.
func export(write func(string) (string, error), format string) tea.Cmd {
	return func() tea.Msg {
		path, err := write(format)
		return exported{path, err}
	}
}

func (p *picker) view(m *model, f screen.Frame) []string {
	out := []string{f.Title("Write the run to a file", "enter writes, esc closes", true)}
	for i, name := range m.opts.Formats {
		text := "   " + f.Story.Text(name)
		if i == p.at {
			text = f.Sheet.Cursor(f.Glyph(" ▸ ", " > ") + f.Story.Text(name))
		}
		out = append(out, text)
	}
	return out
}
