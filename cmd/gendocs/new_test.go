package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// What -new writes compiles in this module, and its own tests pass. The files lie
// in a folder of the test; an overlay puts them where they belong.
func TestDraftsWork(t *testing.T) {
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for kind, folder := range map[string]string{
		"analyzer": "analyzers/code/zebra", "checker": "analyzers/history/zebra", "probe": "probes/zebra", "screen": "tui/screens/zebra",
	} {
		t.Run(kind, func(t *testing.T) {
			root := t.TempDir()
			next, err := draft(root, kind, "zebra")
			if err != nil || !strings.Contains(next, "go test") || strings.Contains(next, "{{") {
				t.Fatalf("what is left to do: %q (%v)", next, err)
			}
			bin := filepath.Join(root, "zebra.test")
			build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay(t, root, repo), "-o", bin, "./"+folder)
			build.Dir = repo
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("it does not compile: %v\n%s", err, out)
			}
			run := exec.CommandContext(t.Context(), bin)
			run.Dir = filepath.Join(root, folder)
			if out, err := run.CombinedOutput(); err != nil {
				t.Errorf("its tests fail: %v\n%s", err, out)
			}
			if out, err := exec.CommandContext(t.Context(), "gofmt", "-l", run.Dir).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("not formatted: %s (%v)", out, err)
			}
			if _, err := draft(root, kind, "zebra"); err == nil {
				t.Error("it overwrites what is there")
			}
		})
	}
	if _, err := draft(t.TempDir(), "sink", "zebra"); err == nil || !strings.Contains(err.Error(), "analyzer, checker, probe, screen") {
		t.Errorf("an unknown kind: %v", err)
	}
	for _, name := range []string{"", "Zebra", "../zebra", "two words"} {
		if _, err := draft(t.TempDir(), "probe", name); err == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
}

// overlay says which files of root stand where in the repository.
func overlay(t *testing.T, root, repo string) string {
	t.Helper()
	replace := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		replace[path.Join(repo, rel)] = name
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
