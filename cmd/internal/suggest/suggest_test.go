package suggest

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"stress", "show", "check", "clean", "list", "clients"}
	tests := []struct{ word, want string }{
		{"strss", "stress"},
		{"sterss", "stress"},
		{"lsit", "list"},
		{"chekc", "check"},
		{"clent", "clean"},
		{"clents", "clients"},
		{"explore", ""},
		{"", ""},
		{"stress", "stress"},
		{"größe", ""},
	}
	for _, tt := range tests {
		if got := Nearest(tt.word, known); got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"abc", "acb", 1},
		{"abc", "abd", 1},
		{"kitten", "sitting", 3},
		{"ca", "abc", 3}, // restricted: no edit inside a swapped pair
	}
	for _, tt := range tests {
		if got := Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
