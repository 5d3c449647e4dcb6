package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Key is a command of the keyboard. Help, footer and docs are made from it, and
// it decides itself whether a press is meant, so that they cannot differ.
type Key struct {
	Keys  []string // as bubbletea names them: "j", "down", "ctrl+d"
	Does  string   // in the help: a verb phrase
	Short string   // in the footer: one or two words; empty keeps it out
}

// Is reports whether the press is this key.
func (k Key) Is(msg tea.Msg) bool {
	press, ok := msg.(tea.KeyPressMsg)
	return ok && slices.Contains(k.Keys, press.String())
}

// Label is how the keys are written for people: "↓ j", or "down j" in ASCII.
func (k Key) Label(ascii bool) string {
	labels := make([]string, len(k.Keys))
	for i, name := range k.Keys {
		labels[i] = name
		if arrow, ok := arrows[name]; ok && !ascii {
			labels[i] = arrow
		}
	}
	return strings.Join(labels, " ")
}

var arrows = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→"}

// The keys that several screens share.
var (
	Down     = Key{Keys: []string{"down", "j"}, Does: "move down"}
	Up       = Key{Keys: []string{"up", "k"}, Does: "move up"}
	PageDown = Key{Keys: []string{"ctrl+d", "pgdown"}, Does: "half a page down"}
	PageUp   = Key{Keys: []string{"ctrl+u", "pgup"}, Does: "half a page up"}
	Top      = Key{Keys: []string{"g", "home"}, Does: "go to the top"}
	Bottom   = Key{Keys: []string{"G", "end"}, Does: "go to the bottom"}
	Enter    = Key{Keys: []string{"enter"}, Does: "open the selected line", Short: "open"}
	Filter   = Key{Keys: []string{"/"}, Does: "filter the list; a leading ! turns it round; esc clears it", Short: "filter"}
	Follow   = Key{Keys: []string{"f"}, Does: "follow the newest line again", Short: "follow"}
	Next     = Key{Keys: []string{"n"}, Does: "next finding", Short: "next"}
	Previous = Key{Keys: []string{"N"}, Does: "previous finding"}
)

// Moves are the keys of Move.
func Moves() []Key { return []Key{Down, Up, PageDown, PageUp, Top, Bottom} }

// Move returns where a press moves a position among n, and whether it was a
// move. A page is the height of what is shown.
func Move(msg tea.Msg, at, n, page int) (int, bool) {
	half := max(page/2, 1)
	switch {
	case Down.Is(msg):
		at++
	case Up.Is(msg):
		at--
	case PageDown.Is(msg):
		at += half
	case PageUp.Is(msg):
		at -= half
	case Top.Is(msg):
		at = 0
	case Bottom.Is(msg):
		at = n - 1
	default:
		return at, false
	}
	return max(min(at, n-1), 0), true
}

// Window returns the range of n lines that shows line at in the middle of height.
func Window(at, n, height int) (from, to int) {
	height = max(height, 0)
	from = max(min(at-height/2, n-height), 0)
	return from, min(from+height, n)
}
