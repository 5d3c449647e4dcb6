package menu

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/ccheck/ccheck/tui/story/storytest"
)

var three = []Item{
	{"double-spend", "One balance, two spenders", "A wallet reads a balance, decides in the application whether it is enough,\nand writes the new balance back."},
	{"deadlock", "Two transfers that wait for each other", "Each has locked its own row."},
	{"bleed", "One user sees the page of another", "With one user it is always right."},
}

// shown is a menu of that size.
func shown(w, h int, items []Item) *model {
	m := newModel(Options{Title: "the lab", Items: items, Theme: "mono"})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return m
}

var presses = map[string]tea.KeyPressMsg{
	"down": {Code: tea.KeyDown}, "up": {Code: tea.KeyUp}, "enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape},
	"q": {Code: 'q', Text: "q"}, "j": {Code: 'j', Text: "j"}, "G": {Code: 'G', Text: "G"}, "x": {Code: 'x', Text: "x"},
}

func press(m *model, names ...string) (quit bool) {
	for _, name := range names {
		_, cmd := m.Update(presses[name])
		quit = cmd != nil
	}
	return quit
}

func TestScreens(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {50, 20}} {
		m := shown(size[0], size[1], three)
		press(m, "down")
		storytest.Golden(t, fmt.Sprintf("menu.%dx%d.golden", size[0], size[1]), ansi.Strip(m.draw())+"\n")
	}
}

func TestChoose(t *testing.T) {
	tests := []struct {
		keys   string
		chosen string
		quit   bool
	}{
		{"enter", "double-spend", true},
		{"down enter", "deadlock", true},
		{"j j up enter", "deadlock", true},
		{"G enter", "bleed", true},
		{"down down down down enter", "bleed", true},
		{"x down", "", false},
		{"down q", "", true},
		{"esc", "", true},
	}
	for _, tt := range tests {
		m := shown(80, 24, three)
		if quit := press(m, strings.Fields(tt.keys)...); quit != tt.quit || m.chosen != tt.chosen {
			t.Errorf("%s: chose %q, left %v", tt.keys, m.chosen, quit)
		}
	}
}

// Whatever is pressed, at any size, with any number of items: the screen is not
// overrun, and the selected item is on it where there is room for one.
func TestAnyKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 130).Draw(t, "width"), rapid.IntRange(1, 50).Draw(t, "height")
		items := make([]Item, rapid.IntRange(0, 12).Draw(t, "items"))
		for i := range items {
			items[i] = Item{Name: fmt.Sprintf("n%d", i), Title: "title", Text: strings.Repeat("long text ", i)}
		}
		m := shown(w, h, items)
		for _, key := range rapid.SliceOfN(rapid.SampledFrom([]string{"down", "up", "G", "x"}), 0, 20).Draw(t, "keys") {
			press(m, key)
		}
		lines := strings.Split(ansi.Strip(m.draw()), "\n")
		if len(lines) > max(h, 2) {
			t.Fatalf("%d lines on a screen of %d", len(lines), h)
		}
		for _, l := range lines {
			if ansi.StringWidth(l) > w {
				t.Fatalf("%q is wider than %d", l, w)
			}
		}
		if len(items) > 0 && w > 10 && h > 4 && !strings.Contains(strings.Join(lines, "\n"), "> "+items[m.at].Name) {
			t.Fatalf("item %d is not on the screen:\n%s", m.at, strings.Join(lines, "\n"))
		}
	})
}

// The line ends of a text are those of its source, and mean nothing here.
func TestTextIsOneParagraph(t *testing.T) {
	m := shown(50, 20, three)
	got := strings.Split(ansi.Strip(m.draw()), "\n")[5:9]
	want := []string{" A wallet reads a balance, decides in the", " application whether it is enough, and writes the", " new balance back.", ""}
	for i := range want {
		if strings.TrimRight(got[i], " ") != want[i] {
			t.Errorf("line %d of the text is %q, want %q", i, got[i], want[i])
		}
	}
}
