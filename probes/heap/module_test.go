package heap

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The files of a package, and those of the packages of the module that it imports, are
// read with the one that a stack names; what is of another module is not.
func TestNeighbours(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                "// it is\nmodule \"example.org/app\"\n",
		"cmd/main.go":           "package main\n\nimport (\n\t\"example.org/app/cache\"\n\t\"example.org/apply\"\n\t\"net/http\"\n)\n",
		"cmd/pages.go":          "package main\n",
		"cmd/main_test.go":      "package main\n",
		"cache/lru.go":          "package cache\n\nimport \"example.org/app/deep\"\n",
		"deep/deep.go":          "package deep\n",
		"apply/apply.go":        "package apply\n",
		"other/go.mod":          "module example.org/other\n",
		"other/main.go":         "package main\n\nimport \"example.org/app/deep\"\n",
		"pkg/mod/lib@v1/lib.go": "package lib\n",
		"pkg/mod/lib@v1/b.go":   "package lib\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string][]string{
		"cmd/main.go":           {"cache/lru.go", "cmd/main.go", "cmd/pages.go"},
		"other/main.go":         {"other/main.go"},
		"pkg/mod/lib@v1/lib.go": {"pkg/mod/lib@v1/lib.go"},
		"gone/main.go":          {"gone/main.go"},
	} {
		names := map[string]bool{filepath.Join(dir, name): true}
		neighbours(names)
		var got []string
		for _, path := range slices.Sorted(maps.Keys(names)) {
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.ToSlash(rel))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
