package stdio

import "testing"

// On a terminal no row is wider than it, and a text goes on in its column.
func TestRow(t *testing.T) {
	const text = "a row is read, and written because of what was read"
	tests := []struct {
		name  string
		tty   bool
		width int
		want  string
	}{
		{"a pipe", false, 40, "  check  a row is read, and written because of what was read\n"},
		{"a wide terminal", true, 80, "  check  a row is read, and written because of what was read\n"},
		{"a narrow one", true, 40, "  check  a row is read, and written\n         because of what was read\n"},
		{"one too narrow for columns", true, 20, "  check  a row is read, and written because of what was read\n"},
	}
	for _, tt := range tests {
		s, b := Test()
		s.OutTTY, s.Width = tt.tty, func() int { return tt.width }
		if s.Row(2, 5, "check", text); b.Out.String() != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, b.Out.String(), tt.want)
		}
	}
}
