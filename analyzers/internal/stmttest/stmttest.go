// Package stmttest runs analyzers of SQL over their test data, with small
// stand-ins for the libraries that they know, under the real import paths. Only
// tests import it.
package stmttest

import (
	"bufio"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

//go:embed all:testdata
var stubs embed.FS

// Root is a folder with the test data of the calling package and the stand-ins.
func Root(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	libraries, err := fs.Sub(stubs, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, tree := range []fs.FS{libraries, os.DirFS(filepath.Join("testdata", "src"))} {
		if err := os.CopyFS(src, tree); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Run runs an analyzer over packages below testdata/src and compares what it
// reports with their want comments.
func Run(t *testing.T, a *analysis.Analyzer, pkgs ...string) {
	t.Helper()
	analysistest.Run(t, Root(t), a, pkgs...)
}

// RunWithSuggestedFixes does so and compares the edits with the golden files.
func RunWithSuggestedFixes(t *testing.T, a *analysis.Analyzer, pkgs ...string) {
	t.Helper()
	analysistest.RunWithSuggestedFixes(t, Root(t), a, pkgs...)
}

// Linked runs a judgement over all the packages together and compares what it
// reports with their comments "// linked: regexp".
func Linked(t *testing.T, p flow.Pairing, pkgs ...string) {
	t.Helper()
	root := Root(t)
	var all []*flow.Package
	for _, r := range analysistest.Run(t, root, collect, pkgs...) {
		all = append(all, r.Result.(*flow.Package))
	}
	var got []string
	for _, l := range flow.Link(all, []flow.Pairing{p}) {
		head, _, _ := strings.Cut(l.Message, "\n")
		got = append(got, fmt.Sprintf("%s:%d: %s", rel(root, l.At.File), l.At.Line, head))
	}
	compare(t, wanted(t, root, pkgs), got)
}

// collect hands out what flow knows of a package. It has no facts of its own,
// for which analysistest would ask.
var collect = &analysis.Analyzer{
	Name:       "collect",
	Doc:        "collect: the summaries of a package",
	Requires:   []*analysis.Analyzer{flow.Analyzer},
	ResultType: reflect.TypeFor[*flow.Package](),
	Run:        func(pass *analysis.Pass) (any, error) { return pass.ResultOf[flow.Analyzer], nil },
}

func rel(root, file string) string {
	r, err := filepath.Rel(filepath.Join(root, "src"), file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(r)
}

// expectation is one comment.
type expectation struct {
	at   string // "file:line: "
	text *regexp.Regexp
}

var comment = regexp.MustCompile(`// linked: (.*)$`)

func wanted(t *testing.T, root string, pkgs []string) []expectation {
	t.Helper()
	var all []expectation
	for _, pkg := range pkgs {
		files, err := filepath.Glob(filepath.Join(root, "src", filepath.FromSlash(pkg), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			sc := bufio.NewScanner(f)
			for n := 1; sc.Scan(); n++ {
				if m := comment.FindStringSubmatch(sc.Text()); m != nil {
					all = append(all, expectation{fmt.Sprintf("%s:%d: ", rel(root, file), n), regexp.MustCompile(m[1])})
				}
			}
			f.Close()
		}
	}
	return all
}

func compare(t *testing.T, want []expectation, got []string) {
	t.Helper()
	for _, w := range want {
		i := slices.IndexFunc(got, func(g string) bool { return strings.HasPrefix(g, w.at) && w.text.MatchString(g) })
		if i < 0 {
			t.Errorf("%snothing that matches %s", w.at, w.text)
			continue
		}
		got = slices.Delete(got, i, i+1)
	}
	for _, g := range got {
		t.Errorf("unexpected: %s", g)
	}
}
