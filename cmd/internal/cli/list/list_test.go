package list

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/catalog"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func TestOptions(t *testing.T) {
	tests := []struct {
		args string
		kind string
		json bool
	}{
		{"", "", false},
		{"--json", "", true},
		{"formats", "format", false},
		{"checker --json", "checker", true},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		var got Options
		cmd := New(s, func(o *Options) error { got = *o; return nil })
		if err := clitest.Run(t, cmd, strings.Fields(tt.args)...); err != nil {
			t.Fatal(err)
		}
		if got.Kind != tt.kind || got.JSON != tt.json || got.Streams != s {
			t.Errorf("%q: %+v", tt.args, got)
		}
	}
}

// Text and JSON must list the same things, all of them.
func TestEverythingIsListed(t *testing.T) {
	s, b := stdio.Test()
	if err := run(&Options{Streams: s}); err != nil {
		t.Fatal(err)
	}
	text := b.Out.String()
	b.Out.Reset()
	if err := run(&Options{Streams: s, JSON: true}); err != nil {
		t.Fatal(err)
	}
	var entries []catalog.Entry
	if err := json.Unmarshal(b.Out.Bytes(), &entries); err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(catalog.All()) {
		t.Errorf("JSON lists %d of %d", len(entries), len(catalog.All()))
	}
	for _, e := range entries {
		if !strings.Contains(text, "  "+e.Name) || !strings.Contains(text, e.Summary) {
			t.Errorf("the text does not list %s %s", e.Kind, e.Name)
		}
	}
}

func TestAKindWithoutEntriesIsAnEmptyArray(t *testing.T) {
	s, b := stdio.Test()
	if err := printJSON(s, nil); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(b.Out.String()); got != "[]" {
		t.Errorf("got %s", got)
	}
}
