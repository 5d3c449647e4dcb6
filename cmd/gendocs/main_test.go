package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const docs = "../../docs"

func TestDocsAreFresh(t *testing.T) {
	p, err := all(docs)
	if err != nil {
		t.Fatal(err)
	}
	stale, err := p.stale(docs)
	if err != nil {
		t.Fatal(err)
	}
	if len(stale) > 0 {
		t.Errorf("stale: %s\nrun `go run ./cmd/gendocs` and commit the result", strings.Join(stale, ", "))
	}
}

// A page must be the same on every machine and every day.
func TestPagesAreReproducible(t *testing.T) {
	first, err := all(docs)
	if err != nil {
		t.Fatal(err)
	}
	second, err := all(docs)
	if err != nil {
		t.Fatal(err)
	}
	delete(first, "../README.md") // mostly by hand
	volatile := regexp.MustCompile(`20\d\d-\d\d-\d\dT|/(home|root|tmp|Users)/`)
	for name, text := range first {
		if string(second[name]) != string(text) {
			t.Errorf("%s differs from one run to the next", name)
		}
		if m := volatile.Find(text); m != nil {
			t.Errorf("%s holds %q, which belongs to one machine or day", name, m)
		}
	}
}

func TestWriteRemovesOldPagesOnly(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("cli/gone.md", mark+"# old command\n")
	put("formats/scenario.md", "# by hand\n")
	p := pages{"cli/list.md": []byte(mark + "# list\n")}
	stale, err := p.stale(dir)
	if err != nil || !slices.Equal(stale, []string{"cli/list.md", "cli/gone.md"}) {
		t.Fatalf("stale before: %q, %v", stale, err)
	}
	if err := p.write(dir); err != nil {
		t.Fatal(err)
	}
	if stale, err := p.stale(dir); err != nil || len(stale) > 0 {
		t.Errorf("stale after: %q, %v", stale, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "formats/scenario.md")); err != nil {
		t.Errorf("a page written by hand is gone: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "cli/gone.md")); err == nil {
		t.Error("an old page is still there")
	}
}

// Links between pages must lead somewhere.
func TestLinks(t *testing.T) {
	p, err := all(docs)
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	code := regexp.MustCompile(`(?m)^ {4}.*$`) // a[K](n) is a call there
	for name, text := range p {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			target := filepath.Join(docs, filepath.Dir(name), m[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
}
