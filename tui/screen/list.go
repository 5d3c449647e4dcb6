package screen

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// Item is a line of a list: what names it for good, and the text a filter
// looks at.
type Item struct{ ID, Text string }

// List is the selection in a list that may change under the reader. It keeps
// the name of the selected line and not its place, so that a new line does not
// move the selection; untouched, it follows the first line.
type List struct {
	id     string
	query  string
	typing bool
}

// maxQuery is the longest filter, in bytes.
const maxQuery = 80

// Capturing reports whether a filter is being typed.
func (l *List) Capturing() bool { return l.typing }

// Following reports whether the list follows its first line.
func (l *List) Following() bool { return l.id == "" }

// Select moves the selection to an item by its name.
func (l *List) Select(id string) { l.id = id }

// Visible returns the items that pass the filter.
func (l *List) Visible(items []Item) []Item {
	query, not := strings.CutPrefix(strings.ToLower(l.query), "!")
	if query == "" {
		return items
	}
	var out []Item
	for _, it := range items {
		if strings.Contains(strings.ToLower(it.Text), query) != not {
			out = append(out, it)
		}
	}
	return out
}

// Index is the place of the selection among visible items, 0 when it is gone.
func (l *List) Index(visible []Item) int {
	for i, it := range visible {
		if it.ID == l.id {
			return i
		}
	}
	return 0
}

// Selected returns the name of the selected line, "" when there is none.
func (l *List) Selected(items []Item) string {
	visible := l.Visible(items)
	if len(visible) == 0 {
		return ""
	}
	return visible[l.Index(visible)].ID
}

// Prompt is the filter as it is typed or stands, "" without one.
func (l *List) Prompt() string {
	switch {
	case l.typing:
		return "/" + l.query + "_"
	case l.query != "":
		return "/" + l.query
	}
	return ""
}

// Update moves the selection or edits the filter and reports whether the
// message was for the list.
func (l *List) Update(msg tea.Msg, items []Item, page int) bool {
	if l.typing {
		l.edit(msg)
		return true
	}
	switch {
	case Filter.Is(msg):
		l.typing = true
		return true
	case Follow.Is(msg):
		l.id = ""
		return true
	case escape.Is(msg) && l.query != "":
		l.query = ""
		return true
	}
	visible := l.Visible(items)
	at, moved := Move(msg, l.Index(visible), len(visible), page)
	if moved && at < len(visible) {
		l.id = visible[at].ID
	}
	return moved
}

var escape = Key{Keys: []string{"esc"}}

// edit changes the filter; enter keeps it, esc drops it.
func (l *List) edit(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		l.insert(msg.Content)
	case tea.KeyPressMsg:
		switch msg.String() {
		case "enter":
			l.typing = false
		case "esc":
			l.typing, l.query = false, ""
		case "backspace":
			_, n := utf8.DecodeLastRuneInString(l.query)
			l.query = l.query[:len(l.query)-n]
		case "ctrl+u":
			l.query = ""
		default:
			l.insert(msg.Text)
		}
	}
}

func (l *List) insert(text string) {
	for _, r := range text {
		if r >= ' ' && r != 0x7f && len(l.query) < maxQuery {
			l.query += string(r)
		}
	}
}
