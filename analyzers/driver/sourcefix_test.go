package driver

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
)

func TestEdit(t *testing.T) {
	dir := tree(t, shop)
	r := vet(t, Source{Dir: dir})
	e, err := Edit(dir, os.ReadFile, r.Findings)
	if err != nil || len(e.Files) != 2 || len(e.Mended) != 2 || len(e.Skipped) != 0 {
		t.Fatalf("%d files, %d mended, %d skipped, %v", len(e.Files), len(e.Mended), len(e.Skipped), err)
	}
	if err := e.Write(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "top/top.go"))
	if err != nil || !strings.Contains(string(text), "low.Good()") {
		t.Errorf("%s, %v", text, err)
	}
	if r := vet(t, Source{Dir: dir}); len(r.Findings) != 0 || r.Verdict != report.Clean {
		t.Errorf("after the edits: %v", places(r))
	}
}

func edit(line, from, to int, text string) report.Edit {
	return report.Edit{Location: report.Location{File: "a.go", Line: line, Column: from, EndLine: line, EndColumn: to}, NewText: text}
}

func TestEditsThatMeet(t *testing.T) {
	const old = "package a\n\nvar x = 1\nvar y = 2\n"
	stale := edit(3, 9, 10, "7")
	stale.Digest = Digest([]byte(old + "\n"))
	tests := []struct {
		name    string
		fixes   [][]report.Edit
		want    string
		skipped []string
		err     string
	}{
		{"apart", [][]report.Edit{{edit(3, 9, 10, "7")}, {edit(4, 9, 10, "8")}}, "package a\n\nvar x = 7\nvar y = 8\n", nil, ""},
		{"overlapping: the first stands", [][]report.Edit{{edit(3, 9, 10, "7")}, {edit(4, 9, 10, "8"), edit(3, 5, 10, "z = 3")}}, "package a\n\nvar x = 7\nvar y = 2\n", []string{"1"}, ""},
		{"the same import twice", [][]report.Edit{{edit(2, 1, 1, "import _ \"os\"\n")}, {edit(2, 1, 1, "import _ \"os\"\n"), edit(3, 9, 10, "7")}}, "package a\n\nimport _ \"os\"\n\nvar x = 7\nvar y = 2\n", nil, ""},
		{"outside", [][]report.Edit{{edit(9, 1, 1, "x")}}, "", nil, "a.go has changed since it was judged"},
		{"another file than was judged", [][]report.Edit{{stale}}, "", nil, "a.go has changed since it was judged"},
		{"no source", [][]report.Edit{{edit(3, 1, 4, "}")}}, "", nil, "do not make Go source"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, filepath.Join(dir, "a.go"), old)
			var findings []report.Finding
			for i, edits := range tt.fixes {
				findings = append(findings, report.Finding{Fingerprint: itoa(i)[1:], Fixes: []report.Fix{{Title: "words only"}, {Edits: edits}}})
			}
			e, err := Edit(dir, os.ReadFile, findings)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil || len(e.Files) != 1 || string(e.Files[0].New) != tt.want || !slices.Equal(e.Skipped, tt.skipped) {
				t.Errorf("%q, skipped %v, %v", e.Files, e.Skipped, err)
			}
		})
	}
}
