package screen

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"
)

var fruit = []Item{{"1", "apple pie"}, {"2", "Banana"}, {"3", "cherry pie"}}

func typed(l *List, text string) {
	for _, r := range text {
		l.Update(tea.KeyPressMsg{Code: r, Text: string(r)}, fruit, 10)
	}
}

func TestFilter(t *testing.T) {
	tests := []struct {
		query string
		want  []string
	}{
		{"", []string{"1", "2", "3"}},
		{"PIE", []string{"1", "3"}},
		{"!pie", []string{"2"}},
		{"!", []string{"1", "2", "3"}},
		{"none", nil},
	}
	for _, tt := range tests {
		var l List
		typed(&l, "/"+tt.query)
		if !l.Capturing() {
			t.Fatal("the list does not capture text while a filter is typed")
		}
		var got []string
		for _, it := range l.Visible(fruit) {
			got = append(got, it.ID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("/%s: (-want +got)\n%s", tt.query, diff)
		}
	}
}

// TestFilterKeys edits, keeps and drops a filter.
func TestFilterKeys(t *testing.T) {
	var l List
	typed(&l, "/pip")
	l.Update(tea.KeyPressMsg{Code: tea.KeyBackspace}, fruit, 10)
	l.Update(tea.PasteMsg{Content: "e\x1b\n"}, fruit, 10)
	if got := l.Prompt(); got != "/pie_" {
		t.Errorf("the prompt is %q", got)
	}
	l.Update(tea.KeyPressMsg{Code: tea.KeyEnter}, fruit, 10)
	if got := l.Prompt(); got != "/pie" || l.Capturing() {
		t.Errorf("after enter: %q, capturing %v", got, l.Capturing())
	}
	if !l.Update(tea.KeyPressMsg{Code: tea.KeyEscape}, fruit, 10) || l.Prompt() != "" {
		t.Errorf("esc leaves the filter %q", l.Prompt())
	}
	if l.Update(tea.KeyPressMsg{Code: tea.KeyEscape}, fruit, 10) {
		t.Error("a list without a filter keeps esc to itself")
	}
}

// TestPinned keeps the selected line while others come in above it.
func TestPinned(t *testing.T) {
	var l List
	if !l.Following() || l.Selected(fruit) != "1" {
		t.Fatal("an untouched list does not follow its first line")
	}
	l.Update(tea.KeyPressMsg{Code: 'j', Text: "j"}, fruit, 10)
	more := append([]Item{{"0", "new"}}, fruit...)
	if got := l.Selected(more); got != "2" {
		t.Errorf("selected %s, want 2", got)
	}
	typed(&l, "f")
	if got := l.Selected(more); got != "0" {
		t.Errorf("following selects %s, want 0", got)
	}
	if got := l.Selected(nil); got != "" {
		t.Errorf("an empty list selects %q", got)
	}
}

func TestWindow(t *testing.T) {
	tests := []struct{ at, n, height, from, to int }{
		{0, 3, 10, 0, 3}, {0, 100, 10, 0, 10}, {50, 100, 10, 45, 55}, {99, 100, 10, 90, 100}, {0, 0, 10, 0, 0}, {5, 9, -1, 5, 5},
	}
	for _, tt := range tests {
		if from, to := Window(tt.at, tt.n, tt.height); from != tt.from || to != tt.to {
			t.Errorf("Window(%d, %d, %d) = %d, %d, want %d, %d", tt.at, tt.n, tt.height, from, to, tt.from, tt.to)
		}
	}
}
