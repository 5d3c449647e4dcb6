package story

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What is copied from the screen is what was meant: a shell joins the lines
// again, and sees the same words.
func TestWrapCommand(t *testing.T) {
	const long = `ccheck explore ./shop --lanes buy,buy --schedule "a1 b1 a2 b2 a3 b3 a4 b4" -D 'name=it'\''s  mine' --dsn env:SHOP it\ is`
	tests := []struct {
		command string
		width   int
		want    []string
	}{
		{"", 40, nil},
		{"ccheck stress wallet", 40, []string{"ccheck stress wallet"}},
		{"ccheck stress wallet --seed 7", 20, []string{`ccheck stress \`, `wallet --seed 7`}},
		{`ccheck x --schedule "a b c d e f"`, 16, []string{`ccheck x \`, `--schedule \`, `"a b c d e f"`}},
		{long, 40, nil},
	}
	for _, tt := range tests {
		got := wrapCommand(tt.command, tt.width)
		if tt.want != nil && !slices.Equal(got, tt.want) {
			t.Errorf("%q at %d:\n%q\nwant\n%q", tt.command, tt.width, got, tt.want)
		}
		if whole, copied := words(t, tt.command), words(t, strings.Join(got, "\n            ")); whole != copied {
			t.Errorf("%q at %d: a shell sees\n%s\nwant\n%s", tt.command, tt.width, copied, whole)
		}
	}
}

// words are the arguments that a shell sees, one a line.
func words(t *testing.T, command string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s\n' `+command).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
