package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEntry(t *testing.T) {
	tests := []struct {
		doc  string
		want Entry
	}{
		{"skew: finds write skew\n\nLong\n  text.\n", Entry{Checker, "skew", "finds write skew", "Long\n  text."}},
		{"skew: finds write skew", Entry{Checker, "skew", "finds write skew", ""}},
		{"\n\nskew: x\n", Entry{Checker, "skew", "x", ""}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, entry(Checker, "skew", tt.doc)); diff != "" {
			t.Errorf("entry(%q): -want +got\n%s", tt.doc, diff)
		}
	}
}

// Every Doc in every registry must have the shape that list, explain, SARIF
// help and the pages rely on.
func TestEveryDocIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		id := e.Kind + "/" + e.Name
		if seen[id] {
			t.Errorf("%s is registered twice", id)
		}
		seen[id] = true
		if e.Name == "" || e.Name != strings.ToLower(e.Name) || strings.ContainsAny(e.Name, " _/") {
			t.Errorf("%s: the name is no lower-case word", id)
		}
		if e.Summary == "" || len(e.Summary) > 100 || strings.HasSuffix(e.Summary, ".") {
			t.Errorf("%s: the first line of Doc must be \"name: summary\", at most 100 bytes, no full stop; it gives %q", id, e.Summary)
		}
		if e.Doc == "" {
			t.Errorf("%s: Doc says nothing after its first line", id)
		}
	}
}

func TestFind(t *testing.T) {
	for _, name := range []string{"json", "format/json"} {
		if got := Find(name); len(got) != 1 || got[0].Kind != Format {
			t.Errorf("Find(%q) = %v, want the format", name, got)
		}
	}
	if got := Find("probe/json"); len(got) != 0 {
		t.Errorf("Find(probe/json) = %v, want nothing", got)
	}
}
