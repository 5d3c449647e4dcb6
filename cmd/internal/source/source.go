// Package source finds the place in an application's code that a statement
// comes from: by what a comment of the statement says, else by looking for the
// statement in the source tree, whatever language it is written in.
//
// It is no parser and knows no framework. Where a statement stands in several
// places it names none: a wrong place costs more than none.
package source

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

// Limits on what is read of a tree.
const (
	maxFile  = 1 << 20
	maxFiles = 5000
	maxTotal = 64 << 20
)

// Tree is the source of an application. It is read when it is first needed.
type Tree struct {
	root  string
	files []file
	read  bool
	known map[string]report.Location // by statement; an empty one for none
}

type file struct{ name, text string }

// Open names the folder.
func Open(root string) *Tree { return &Tree{root: root, known: map[string]report.Location{}} }

// Find is where the statement is, with values or parameters in it. The zero
// Location is nowhere, or several places.
func (t *Tree) Find(sql string) report.Location {
	if l, known := t.known[sql]; known {
		return l
	}
	l := Tagged(sql)
	if l.File == "" {
		l = t.search(sql)
	}
	t.known[sql] = l
	return l
}

// Tell fills in where the steps of a finding are, and the finding itself: its
// last write that is known, which is what overwrites, else its last step.
func (t *Tree) Tell(f *report.Finding) {
	var last, write report.Location
	for i := range f.Steps {
		s := &f.Steps[i]
		if s.Where.File == "" {
			s.Where = t.Find(s.Text)
		}
		if s.Where.File == "" {
			continue
		}
		if last = s.Where; s.Wrote != "" {
			write = s.Where
		}
	}
	switch {
	case f.Where.File != "":
	case write.File != "":
		f.Where = write
	default:
		f.Where = last
	}
}

// search looks for the statement in the tree.
func (t *Tree) search(sql string) report.Location {
	pattern := patternOf(sql)
	if pattern == nil {
		return report.Location{}
	}
	t.load()
	var found report.Location
	for _, f := range t.files {
		for _, at := range pattern.FindAllStringIndex(f.text, 2) {
			if found.File != "" {
				return report.Location{}
			}
			found = report.Location{File: f.name, Line: 1 + strings.Count(f.text[:at[0]], "\n")}
		}
	}
	return found
}

// skipped are folders that hold what others wrote, or a machine.
var skipped = []string{"node_modules", "vendor", "dist", "build", "target", "venv", "__pycache__", "test", "tests", "__tests__", "testdata", "spec"}

// languages are the extensions of what may hold a statement.
var languages = []string{
	".cjs", ".cs", ".ex", ".exs", ".go", ".java", ".js", ".jsx", ".kt", ".mjs", ".php", ".py", ".rb", ".rs", ".scala", ".sql", ".swift", ".ts", ".tsx", ".xml",
}

var test = regexp.MustCompile(`(_test|\.test|\.spec|_spec|Test)\.\w+$|^test_`)

func (t *Tree) load() {
	if t.read {
		return
	}
	t.read = true
	total := 0
	// What cannot be read is not searched.
	_ = filepath.WalkDir(t.root, func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(filepath.ToSlash(name)); {
		case err != nil:
			return nil
		case d.IsDir():
			if name != t.root && (slices.Contains(skipped, base) || strings.HasPrefix(base, ".")) {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || !slices.Contains(languages, path.Ext(base)) || test.MatchString(base):
			return nil
		}
		if len(t.files) >= maxFiles || total >= maxTotal {
			return fs.SkipAll
		}
		if info, err := d.Info(); err != nil || info.Size() > maxFile {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		total += len(text)
		rel, err := filepath.Rel(t.root, name)
		if err == nil {
			t.files = append(t.files, file{filepath.ToSlash(rel), string(text)})
		}
		return nil
	})
	sort.Slice(t.files, func(i, k int) bool { return t.files[i].name < t.files[k].name })
}
