// Package menu shows a list on the full screen and returns what a person chose.
// It is no part of a run: the screens of tui show one that goes on.
//
// Commands import it.
package menu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
	"github.com/ccheck/ccheck/tui/style"
)

// Item is one choice.
type Item struct {
	Name  string // what Choose returns
	Title string // one line
	Text  string // shown while it is selected
}

// Options say what is shown, and where.
type Options struct {
	In    io.Reader
	Out   io.Writer
	Env   func(string) string // as os.Getenv
	ASCII bool
	Theme string // a name of style.Themes, "" for the default
	Title string
	Items []Item
}

// Choose shows the menu until something is chosen; "" means that the person left
// it. The error of a ctx that is done is its own.
func Choose(ctx context.Context, o Options) (string, error) {
	opts := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithoutSignalHandler(),
		tea.WithEnvironment([]string{"TERM=" + o.Env("TERM"), "COLORTERM=" + o.Env("COLORTERM")}),
	}
	if o.Env("NO_COLOR") != "" {
		opts = append(opts, tea.WithColorProfile(colorprofile.ASCII))
	}
	end, err := tea.NewProgram(newModel(o), opts...).Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil && !errors.Is(err, tea.ErrInterrupted) {
		return "", fmt.Errorf("showing the menu: %w", err)
	}
	if m, ok := end.(*model); ok {
		return m.chosen, nil
	}
	return "", nil
}

// model is the state of the menu.
type model struct {
	o      Options
	sheet  style.Sheet
	at     int
	chosen string
	width  int
	height int
}

func newModel(o Options) *model { return &model{o: o, sheet: style.New(o.Theme, true)} }

var leave = screen.Key{Keys: []string{"q", "esc", "ctrl+c"}, Does: "leave", Short: "leave"}

// Init asks the terminal for its background.
func (m *model) Init() tea.Cmd { return tea.RequestBackgroundColor }

// Update takes a key, a size or the background.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m, nil
	case tea.BackgroundColorMsg:
		m.sheet = style.New(m.o.Theme, msg.IsDark())
		return m, nil
	}
	switch {
	case leave.Is(msg):
		return m, tea.Quit
	case screen.Enter.Is(msg) && len(m.o.Items) > 0:
		m.chosen = m.o.Items[m.at].Name
		return m, tea.Quit
	}
	if to, moved := screen.Move(msg, m.at, len(m.o.Items), m.height); moved {
		m.at = to
	}
	return m, nil
}

// View draws the menu.
func (m *model) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = true
	return v
}

// draw is the menu as lines: the list, what the selected item is about as far as
// there is room, and the keys.
func (m *model) draw() string {
	if m.width == 0 {
		return ""
	}
	lines := append([]string{m.sheet.Bar.Render(pad(" "+m.o.Title, m.width))}, m.list()...)
	lines = append(lines, "")
	if len(m.o.Items) > 0 {
		for text := range strings.SplitSeq(ansi.Wordwrap(strings.ReplaceAll(m.o.Items[m.at].Text, "\n", " "), max(m.width-2, 1), ""), "\n") {
			lines = append(lines, " "+text)
		}
	}
	if room := max(m.height-1, 1); len(lines) > room {
		lines = lines[:room]
	}
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], m.width, m.ellipsis())
	}
	foot := fmt.Sprintf(" %s move  enter choose  q leave", screen.Down.Label(m.o.ASCII)+" "+screen.Up.Label(m.o.ASCII))
	return strings.Join(append(lines, m.sheet.Foot.Render(ansi.Truncate(foot, m.width, ""))), "\n")
}

func (m *model) ellipsis() string {
	if m.o.ASCII {
		return "~"
	}
	return "…"
}

// list are the lines of the items, of which a window around the selected one is
// shown where the screen is low.
func (m *model) list() (lines []string) {
	width := 0
	for _, it := range m.o.Items {
		width = max(width, ansi.StringWidth(it.Name))
	}
	from, to := screen.Window(m.at, len(m.o.Items), max(m.height-3, 1))
	for i := from; i < to; i++ {
		it := m.o.Items[i]
		mark, name := "  ", pad(it.Name, width)
		if i == m.at {
			mark, name = "> ", m.sheet.Role(story.Strong, name)
		}
		lines = append(lines, mark+name+"  "+it.Title)
	}
	return lines
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
}
