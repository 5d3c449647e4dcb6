package stmttest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// Mutant takes one guard out of a package: its name, the text of the guard, and
// what stands in its place everywhere.
type Mutant [3]string

// Mutants takes guards out of a package on which the analyzer is silent, one
// at a time. It must report something then: the guard was the reason for the
// silence.
func Mutants(t *testing.T, a *analysis.Analyzer, pkg string, mutants []Mutant) {
	t.Helper()
	root := Root(t)
	var pkgs []string
	for i, m := range mutants {
		name := fmt.Sprintf("%s%d", pkg, i)
		pkgs = append(pkgs, name)
		mutate(t, filepath.Join(root, "src", pkg), filepath.Join(root, "src", name), m)
	}
	rec := &recorder{}
	analysistest.Run(rec, root, a, pkgs...)
	for i, m := range mutants {
		if !rec.saw(pkgs[i] + string(filepath.Separator)) {
			t.Errorf("%s: without the guard nothing is reported", m[0])
		}
	}
}

func mutate(t *testing.T, from, to string, m Mutant) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources in %s: %v", from, err)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	changed := false
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out := strings.ReplaceAll(string(src), m[1], m[2])
		changed = changed || out != string(src)
		if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !changed {
		t.Errorf("%s: %q is not in the package", m[0], m[1])
	}
}

// recorder takes analysistest's complaints: what is reported in a mutant is not
// expected by any comment.
type recorder struct{ lines []string }

func (r *recorder) Errorf(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) saw(file string) bool {
	for _, l := range r.lines {
		if strings.Contains(l, "unexpected diagnostic") && strings.Contains(l, file) {
			return true
		}
	}
	return false
}
