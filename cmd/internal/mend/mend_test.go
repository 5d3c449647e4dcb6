package mend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
)

const old = "package a\n\nvar x = 1\nvar y = 2\n"

// shop is a folder with one file, and a finding for each of its two lines.
func shop(t *testing.T) (dir string, x, y report.Finding) {
	t.Helper()
	dir = t.TempDir()
	put(t, dir, old)
	return dir, finding("x", edit(3, "7")), finding("y", edit(4, "8"))
}

func put(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func finding(id string, e report.Edit) report.Finding {
	return report.Finding{Fingerprint: id, Fixes: []report.Fix{{Title: "words only"}, {Edits: []report.Edit{e}}}}
}

func edit(line int, text string) report.Edit {
	return report.Edit{Location: report.Location{File: "a.go", Line: line, Column: 9, EndLine: line, EndColumn: 10}, NewText: text, Digest: driver.Digest([]byte(old))}
}

func holds(t *testing.T, dir, want string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "a.go"))
	if err != nil || string(got) != want {
		t.Errorf("the file holds %q, %v, want %q", got, err, want)
	}
}

// The second edit of a file starts from the file as it was judged, and keeps the first.
func TestOneByOne(t *testing.T) {
	dir, x, y := shop(t)
	y.Fixes[1].Edits[0].NewText = "8 // longer\nvar z = 3" // the lines below move
	b := NewBench(dir, nil)
	for _, f := range []report.Finding{y, x} {
		if names, _, err := b.Apply([]report.Finding{f}); err != nil || !slices.Equal(names, []string{"a.go"}) {
			t.Fatalf("%q, %v", names, err)
		}
	}
	holds(t, dir, "package a\n\nvar x = 7\nvar y = 8 // longer\nvar z = 3\n")
	text, err := b.Read("a.go")
	if err != nil || string(text) != old {
		t.Errorf("the file as it was judged: %q, %v", text, err)
	}
	info, err := os.Stat(filepath.Join(dir, "a.go"))
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
}

// Of several the ones that do not fit beside the others are left out, and said.
func TestAll(t *testing.T) {
	dir, x, y := shop(t)
	_, left, err := NewBench(dir, nil).Apply([]report.Finding{x, finding("z", edit(3, "5")), y})
	if err != nil || !slices.Equal(left, []int{1}) {
		t.Errorf("left %v, %v", left, err)
	}
	holds(t, dir, "package a\n\nvar x = 7\nvar y = 8\n")
}

func TestDiff(t *testing.T) {
	dir, x, y := shop(t)
	got, err := NewBench(dir, nil).Diff([]report.Finding{x, y})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--- a/a.go\n", "-var x = 1\n-var y = 2\n+var x = 7\n+var y = 8\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	holds(t, dir, old)
}

// What is refused leaves the file as it is.
func TestRefuses(t *testing.T) {
	tests := []struct {
		name string
		do   func(dir string, b *Bench, x, y report.Finding) error
		want string
		text string
	}{
		{"a file that changed since it was judged", func(dir string, b *Bench, x, _ report.Finding) error {
			put(t, dir, old+"// new\n")
			return apply(b, x)
		}, "a.go has changed since it was judged; run `ccheck vet` again", old + "// new\n"},
		{"a file that changed after the first edit", func(dir string, b *Bench, x, y report.Finding) error {
			if err := apply(b, x); err != nil {
				return err
			}
			put(t, dir, "package a\n\nvar x = 9\nvar y = 2\n")
			return apply(b, y)
		}, "a.go has changed since it was judged; run `ccheck vet` again", "package a\n\nvar x = 9\nvar y = 2\n"},
		{"the same lines", func(_ string, b *Bench, x, _ report.Finding) error {
			if err := apply(b, x); err != nil {
				return err
			}
			return apply(b, finding("z", edit(3, "5")))
		}, "another edit touches the same lines; run `ccheck vet` again", "package a\n\nvar x = 7\nvar y = 2\n"},
		{"an older report", func(_ string, b *Bench, x, _ report.Finding) error {
			x.Fixes[1].Edits[0].Digest = ""
			return apply(b, x)
		}, "the report does not say what a.go looked like when it was judged; run `ccheck vet` again", old},
		{"a file elsewhere", func(_ string, b *Bench, x, _ report.Finding) error {
			x.Fixes[1].Edits[0].File = "../a.go"
			return apply(b, x)
		}, "../a.go lies outside of this folder", old},
		{"no Go file", func(_ string, b *Bench, x, _ report.Finding) error {
			x.Fixes[1].Edits[0].File = "Makefile"
			return apply(b, x)
		}, "Makefile is no Go file", old},
		{"another folder", func(_ string, b *Bench, x, _ report.Finding) error {
			x.Fixes[1].Edits[0].File = "b.go"
			return apply(b, x)
		}, "run ccheck in the folder in which the report was made", old},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, x, y := shop(t)
			if err := tt.do(dir, NewBench(dir, nil), x, y); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			holds(t, dir, tt.text)
		})
	}
}

func apply(b *Bench, f report.Finding) error {
	_, _, err := b.Apply([]report.Finding{f})
	return err
}

func TestEditor(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"vi", "code", "hx"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	at := report.Location{File: "x/a.go", Line: 7, Column: 3}
	tests := []struct {
		visual, editor, want, err string
	}{
		{"", "vi", "vi +7 /src/x/a.go", ""},
		{"code --wait", "vi", "code --wait --goto /src/x/a.go:7:3", ""},
		{"", "hx", "hx /src/x/a.go:7:3", ""},
		{"", "", "", "put its name into EDITOR"},
		{"", "nosuch", "", "the editor nosuch is not there"},
	}
	for _, tt := range tests {
		env := map[string]string{"VISUAL": tt.visual, "EDITOR": tt.editor}
		cmd, err := NewBench("/src", func(name string) string { return env[name] }).Editor(at)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %v, want %q", tt.editor, err, tt.err)
			}
			continue
		}
		if err != nil || strings.ReplaceAll(strings.Join(cmd.Args, " "), dir+"/", "") != tt.want {
			t.Errorf("%q, %v, want %q", cmd, err, tt.want)
		}
	}
}
