package sqltext

import "testing"

func TestSkip(t *testing.T) {
	tests := []struct{ text, want string }{
		{`'it''s' x`, `'it''s'`},
		{`"a ""b" x`, `"a ""b"`},
		{"-- a 'b\nx", "-- a 'b"},
		{"-- to the end", "-- to the end"},
		{"/* a /* b */ c */ x", "/* a /* b */ c */"},
		{"/* open /* b */ c", "/* open /* b */ c"},
		{"/*/ x", "/*/ x"},
		{"$$ a $x$ b $$ x", "$$ a $x$ b $$"},
		{"$tag$ a $$ b $tag$ x", "$tag$ a $$ b $tag$"},
		{"$tag$ open", "$tag$ open"},
		{"$1 + 2", ""},
		{"a$b$ c", "a$b$"},
		{"größe x", "größe"},
		{"'open", "'open"},
		{"+ x", ""},
	}
	for _, tt := range tests {
		if got := tt.text[:Skip(tt.text, 0)]; got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// Only behind an E does a backslash keep the quote that follows it.
func TestSkipEscapes(t *testing.T) {
	for text, want := range map[string]string{`E'a\'b' c`: `'a\'b'`, `+'a\'b' c`: `'a\'`} {
		if got := text[1:Skip(text, 1)]; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzSkip(f *testing.F) {
	for _, s := range []string{"'", "E'\\", "$a$", "/*/**/", "-- ", "\xff'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i := range len(text) {
			if end := Skip(text, i); end < i || end > len(text) {
				t.Fatalf("%q at %d: %d", text, i, end)
			}
		}
	})
}
