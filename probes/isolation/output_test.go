package isolation

import (
	"strings"
	"testing"
)

// The tables and notices of testdata/specs were compared with isolationtester;
// here are the corners that no server sends on demand.

func TestExcerpt(t *testing.T) {
	tests := []struct {
		name, query string
		position    int
		want        string
	}{
		{"start", "SELEC 1", 1, "LINE 1: SELEC 1\n        ^\n"},
		{"end", "SELECT", 7, "LINE 1: SELECT\n              ^\n"},
		{"beyond", "SELECT", 8, ""},
		{"second line", "one\r\ntwo\rthree", 6, "LINE 2: two\n        ^\n"},
		{"third line", "one\r\ntwo\rthree", 10, "LINE 3: three\n        ^\n"},
		{"characters", "żż ź", 4, "LINE 1: żż ź\n           ^\n"},
		{"not UTF-8", "\xff", 1, ""},
	}
	for _, tt := range tests {
		if got := excerpt(tt.query, tt.position); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestExcerptIsNeverWide(t *testing.T) {
	query := strings.Repeat("0123456789", 20)
	for at := 1; at <= len(query); at++ {
		lines := strings.Split(excerpt(query, at), "\n")
		text := strings.ReplaceAll(strings.TrimPrefix(lines[0], "LINE 1: "), "...", "")
		mark := strings.IndexByte(lines[1], '^')
		if len(text) > display || mark >= len(lines[0]) || lines[0][mark] != query[at-1] {
			t.Fatalf("position %d:\n%s\n%s", at, lines[0], lines[1])
		}
	}
}

func TestNumeric(t *testing.T) {
	tests := map[string]bool{
		"1": true, "-1.5": true, "1e5": true, "1 000": true, "- ": false, "1-": false,
		"e5": false, "E5": false, "1e": false, "1x1": false, "0x1": false, "NaN": false, ".5": true,
	}
	for value, want := range tests {
		if got := numeric([]byte(value)); got != want {
			t.Errorf("numeric(%q) = %v", value, got)
		}
	}
}
