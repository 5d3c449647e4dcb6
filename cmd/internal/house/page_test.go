package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var bold = regexp.MustCompile(`\*\*([a-z0-9./]+(?:\\\*)?(?:/\\\*)?)\*\*`)

// docs/architecture.md names every package in the part on its room, alone or by a
// pattern, and no package that is not there.
func TestTheArchitectureIsWhole(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string][]string{} // by room
	room := ""
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			room = strings.TrimSpace(name)
		}
		for _, m := range bold.FindAllStringSubmatch(line, -1) {
			named[room] = append(named[room], strings.ReplaceAll(m[1], `\*`, "*"))
		}
	}
	used := map[string]bool{}
	for dir := range directories(t) {
		room, name, nested := strings.Cut(dir, "/")
		if !nested {
			continue // the rooms themselves
		}
		found := strings.Contains(string(text), "**"+dir+"**") // an interface has a part of its own
		for _, pattern := range named[room] {
			if matches(pattern, name) || strings.HasSuffix(pattern, "/*") && strings.HasPrefix(name, strings.TrimSuffix(pattern, "*")) {
				found, used[room+"/"+pattern] = true, true
			}
		}
		if !found {
			t.Errorf("docs/architecture.md does not name %s under %q", dir, room)
		}
	}
	for _, room := range []string{"probes", "analyzers", "tui", "cmd"} {
		for _, pattern := range named[room] {
			_, err := os.Stat(filepath.Join(root, room, pattern))
			if !used[room+"/"+pattern] && path.Ext(pattern) == "" && err != nil {
				t.Errorf("docs/architecture.md names %s under %q, where no package is of that name", pattern, room)
			}
		}
	}
}

// directories are those with Go files that are not tests alone.
func directories(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, s := range sources(t) {
		if !s.test {
			all[s.dir] = true
		}
	}
	return all
}
