// Package house holds no code. Its tests parse the sources and keep the rules
// of docs/architecture.md: who may import whom, what stays in cmd, where Go
// files lie. A package without a row in the table fails: whoever adds one says
// where it belongs.
package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/ccheck/ccheck/"
	root   = "../../.."
)

// row says what the packages of a pattern may import of ours. In a pattern *
// is one element of a path and ** any number of them. The first row that
// matches counts.
type row struct {
	packages string
	may      string // patterns, separated by blanks
}

var rows = []row{
	{"probes", "probes/probe probes/*"},
	{"probes/history", ""},
	{"probes/probe", ""},
	{"probes/pg", "probes/history"},
	{"probes/actor/*", "probes/history probes/pg"},
	{"probes/scenario", "probes/history probes/actor/* probes/stub probes/internal/sqltext"},
	{"probes/server/**", "probes/server/** probes/internal/guard"},
	{"probes/target", "probes/history probes/server/*"},
	{"probes/isolation", ""},
	{"probes/fault", ""},
	{"probes/wire", "probes/history probes/fault probes/wire/value probes/internal/sqltext"},
	{"probes/wire/value", ""},
	{"probes/internal/lab", "probes/history probes/pg probes/scenario"},
	{"probes/internal/guard", ""},
	{"probes/internal/reach", ""},
	{"probes/internal/sqltext", ""},
	{"probes/internal/app", "probes/internal/guard"},
	{"probes/internal/child", "probes/internal/guard"},
	{"probes/record/tape", "probes/history"},
	{"probes/record", "probes/history probes/probe probes/record/tape probes/wire probes/actor/web probes/internal/app probes/internal/sqltext"},
	{"probes/stub", ""},
	{"probes/stress", "probes/history probes/probe probes/pg probes/actor/* probes/scenario probes/target probes/server/* probes/internal/*"},
	{"probes/stress/volley", "probes/history probes/pg probes/wire probes/fault probes/actor/* probes/scenario probes/explore probes/explore/service probes/internal/sqltext probes/stress"},
	{"probes/heap/series", ""},
	{"probes/heap", "probes/probe probes/heap/*"},
	{"probes/heap/*", "probes/heap/*"},
	{"probes/clock", "probes/history probes/probe probes/internal/reach"},
	{"probes/lag", "probes/history probes/probe probes/internal/reach"},
	{"probes/lag/cluster", "probes/server/postgres"},
	{"probes/lease", "probes/history probes/probe"},
	{"probes/lease/*", "probes/history probes/lease probes/internal/child probes/internal/reach"},
	{"probes/leader", "probes/history probes/probe probes/lease probes/internal/child probes/internal/reach"},
	{"probes/bleed", "probes/history probes/probe"},
	{"probes/retry", "probes/history probes/probe probes/pg probes/scenario probes/stub probes/wire probes/fault probes/actor/* probes/internal/*"},
	{"probes/queue", "probes/history probes/probe probes/pg probes/scenario probes/stub probes/actor/* probes/internal/*"},
	{"probes/deadlock", "probes/history probes/probe probes/pg probes/scenario probes/explore probes/stress"},
	{"probes/explore/service", "probes/history probes/explore probes/wire probes/stub probes/actor/* probes/internal/*"},
	{"probes/explore", "probes/history probes/probe probes/pg probes/wire probes/actor/* probes/scenario probes/target probes/server/* probes/internal/*"},

	{"analyzers", "analyzers/check analyzers/report analyzers/code/* analyzers/history/* analyzers/internal/flow"},
	{"analyzers/golangci", "analyzers analyzers/driver"},
	{"analyzers/report", ""},
	{"analyzers/rivals", "analyzers/internal/* probes/history"},
	{"analyzers/check", "analyzers/report probes/history"},
	{"analyzers/code/*", "analyzers/internal/*"},
	{"analyzers/history/heapgrowth", "analyzers/report analyzers/internal/* probes/heap/series"},
	{"analyzers/history/*", "analyzers/check analyzers/report analyzers/internal/* probes/history"},
	{"analyzers/internal/**", "analyzers/report analyzers/internal/** probes/history"},
	{"analyzers/driver", "analyzers/check analyzers/report analyzers/internal/* probes/history"},

	{"tui/**", "analyzers/report tui/**"},
	{"tui", "analyzers/report tui/**"},

	{"cmd/internal/output/text", "analyzers/report tui/story"},
	{"cmd/internal/output/markdown", "analyzers/report tui/story"},
	{"cmd/internal/output/junit", "analyzers/report tui/story"},
	{"cmd/internal/output/github", "analyzers/report tui/story"},
	{"cmd/internal/output/html", "analyzers/report tui/story"},
	{"cmd/internal/output/*", "analyzers/report"},
	{"cmd/**", "** analyzers probes tui"},
}

// matches reports whether a slash-separated name is of the pattern.
func matches(pattern, name string) bool {
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.ReplaceAll(quoted, `\*\*`, `.+`)
	quoted = strings.ReplaceAll(quoted, `\*`, `[^/]+`)
	return regexp.MustCompile("^" + quoted + "$").MatchString(name)
}

func TestMatches(t *testing.T) {
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"probes/*", "probes/pg", true},
		{"probes/*", "probes/server/postgres", false},
		{"probes/server/**", "probes/server/postgres/pgtest", true},
		{"probes", "probes/pg", false},
		{"tui/**", "tui", false},
	}
	for _, tt := range tests {
		if got := matches(tt.pattern, tt.name); got != tt.want {
			t.Errorf("matches(%q, %q) = %v", tt.pattern, tt.name, got)
		}
	}
}

// source is one parsed file.
type source struct {
	path string // from the root
	dir  string
	test bool
	file *ast.File
	fset *token.FileSet
}

// sources parses every Go file of the repository but those of testdata.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	fset := token.NewFileSet()
	walk(t, func(p string) {
		if !strings.HasSuffix(p, ".go") || slices.Contains(strings.Split(p, "/"), "testdata") {
			return
		}
		f, err := parser.ParseFile(fset, filepath.Join(root, p), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, source{p, path.Dir(p), strings.HasSuffix(p, "_test.go"), f, fset})
	})
	if len(all) < 20 {
		t.Fatalf("found %d Go files: is %s the root of the repository?", len(all), root)
	}
	return all
}

// walk calls do for every file of the repository, as a path from its root. In a
// clone these are the files that git knows: others are somebody's own.
func walk(t *testing.T, do func(string)) {
	t.Helper()
	if out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output(); err == nil && len(out) > 0 {
		for p := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
			if info, err := os.Lstat(filepath.Join(root, p)); err == nil && info.Mode().IsRegular() {
				do(p)
			}
		}
		return
	}
	walkAll(t, do)
}

// walkAll is walk where there is no clone, as in an archive of the sources.
func walkAll(t *testing.T, do func(string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || slices.Contains([]string{"bin", "dist", "dist-files"}, rel)) {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			do(filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s source) imports() []string {
	var all []string
	for _, spec := range s.file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			all = append(all, name)
		}
	}
	return all
}

// allowed reports whether a package may import another one of ours. Tests may
// import servers and samples across the rooms, but nothing imports cmd.
func allowed(r row, dir, own string, test bool) bool {
	if own == dir || test && !strings.HasPrefix(own, "cmd/") {
		return true
	}
	return slices.ContainsFunc(strings.Fields(r.may), func(p string) bool { return matches(p, own) })
}

// rowOf returns the row of a package.
func rowOf(dir string) (row, bool) {
	i := slices.IndexFunc(rows, func(r row) bool { return matches(r.packages, dir) })
	if i < 0 {
		return row{}, false
	}
	return rows[i], true
}

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		r, ok := rowOf(s.dir)
		if !ok {
			t.Errorf("%s: the package has no row in the table of cmd/internal/house/house_test.go", s.path)
			continue
		}
		for _, name := range s.imports() {
			own, ours := strings.CutPrefix(name, module)
			if ours && !allowed(r, s.dir, own, s.test) {
				t.Errorf("%s imports %s; %s may import %q", s.path, own, r.packages, r.may)
			}
		}
	}
}

// The table must say no to what the rooms are apart for.
func TestTheTableRefuses(t *testing.T) {
	tests := []struct {
		dir, own string
		test     bool
		want     bool
	}{
		{"probes/pg", "probes/history", false, true},
		{"probes/pg", "analyzers/report", false, false},
		{"probes/stress", "analyzers/check", false, false},
		{"probes/stress", "cmd/internal/exit", true, false},
		{"probes/history", "probes/pg", false, false},
		{"analyzers/code/lostupdate", "analyzers/report", false, false},
		{"analyzers/history/invariant", "probes/stress", false, false},
		{"analyzers/report", "probes/history", false, false},
		{"tui/screens/run", "probes/history", false, false},
		{"tui", "cmd/internal/stdio", false, false},
		{"cmd/internal/output/json", "probes/history", false, false},
		{"cmd/internal/output/text", "tui/story", false, true},
		{"cmd/internal/cli/clean", "probes/target", false, true},
	}
	for _, tt := range tests {
		r, ok := rowOf(tt.dir)
		if got := allowed(r, tt.dir, tt.own, tt.test); !ok || got != tt.want {
			t.Errorf("%s imports %s: allowed %v, want %v", tt.dir, tt.own, got, tt.want)
		}
	}
	if _, ok := rowOf("probes/nosuch/thing"); ok {
		t.Error("an unknown package has a row")
	}
}

// foreign are modules that only some rooms may use.
var foreign = []struct{ module, rooms string }{
	{"github.com/spf13/", "cmd/"},
	{"github.com/muesli/", "cmd/"},
	{"charm.land/bubbletea/", "tui/ cmd/"},
	{"charm.land/bubbles/", "tui/"},
	{"charm.land/lipgloss/", "tui/ cmd/internal/output/"},
	{"github.com/jackc/", "probes/ cmd/"},
	{"golang.org/x/tools/", "analyzers/ cmd/"},
}

func TestForeignModules(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, name := range s.imports() {
			for _, f := range foreign {
				in := slices.ContainsFunc(strings.Fields(f.rooms), func(room string) bool { return strings.HasPrefix(s.path, room) })
				if strings.HasPrefix(name, f.module) && !in {
					t.Errorf("%s imports %s, which stays in %s", s.path, name, f.rooms)
				}
			}
			if name == "C" {
				t.Errorf("%s needs cgo: ccheck builds without", s.path)
			}
		}
		if matches("analyzers/code/*", s.dir) {
			plainAnalyzer(t, s)
		}
		if s.dir == "probes/history" || s.dir == "probes/heap/series" || s.dir == "analyzers/report" {
			standardOnly(t, s)
		}
	}
}

// plainAnalyzer keeps analyzers fit for any driver.
func plainAnalyzer(t *testing.T, s source) {
	for _, name := range s.imports() {
		if isForeign(name) && !strings.HasPrefix(name, "golang.org/x/tools/") && !strings.HasPrefix(name, module) {
			t.Errorf("%s imports %s: an analyzer uses x/tools and nothing else", s.path, name)
		}
	}
}

// Drivers that take analyzers one by one, such as Bazel's nogo, look for a variable
// of this name in the package.
func TestEveryAnalyzerStandsAlone(t *testing.T) {
	has := map[string]bool{}
	for _, s := range sources(t) {
		if s.test || !matches("analyzers/code/*", s.dir) {
			continue
		}
		declared := slices.ContainsFunc(s.file.Decls, func(d ast.Decl) bool {
			g, ok := d.(*ast.GenDecl)
			return ok && slices.ContainsFunc(g.Specs, func(spec ast.Spec) bool {
				v, ok := spec.(*ast.ValueSpec)
				return ok && g.Tok == token.VAR && v.Names[0].Name == "Analyzer"
			})
		})
		has[s.dir] = has[s.dir] || declared
	}
	if len(has) < 10 {
		t.Fatalf("found %d analyzers", len(has))
	}
	for dir, ok := range has {
		if !ok {
			t.Errorf("%s has no variable Analyzer", dir)
		}
	}
}

func standardOnly(t *testing.T, s source) {
	for _, name := range s.imports() {
		if isForeign(name) {
			t.Errorf("%s imports %s: it imports the standard library only", s.path, name)
		}
	}
}

// isForeign reports whether the import path is not of the standard library:
// only those have no dot in their first element.
func isForeign(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return strings.Contains(first, ".")
}

// process are selectors that reach for the process; they stay in cmd, so that
// everything else can be run by a test and by another program.
var process = map[string][]string{
	"os":  {"Stdin", "Stdout", "Stderr", "Exit"},
	"fmt": {"Print", "Printf", "Println"},
	"log": {"Fatal", "Fatalf", "Fatalln", "Print", "Printf", "Println"},
}

func TestTheProcessStaysInCmd(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.path, "cmd/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if ok && slices.Contains(process[pkg.Name], sel.Sel.Name) && slices.Contains(s.imports(), pkg.Name) {
				t.Errorf("%s uses %s.%s, which stays in cmd", s.fset.Position(sel.Pos()), pkg.Name, sel.Sel.Name)
			}
			return true
		})
	}
}

func TestGoFilesLieInTheFourRooms(t *testing.T) {
	walk(t, func(p string) {
		room, _, nested := strings.Cut(p, "/")
		if strings.HasSuffix(p, ".go") && (!nested || !slices.Contains([]string{"cmd", "analyzers", "probes", "tui"}, room)) {
			t.Errorf("%s: Go files lie in cmd, analyzers, probes and tui only", p)
		}
	})
}

// vague are names that say nothing about what is in a package.
var vague = []string{"util", "utils", "common", "types", "helper", "helpers", "misc", "shared", "base", "lib"}

func TestPackagesSayWhatTheyAre(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		name := s.file.Name.Name
		if strings.TrimSuffix(name, "_test") != strings.ToLower(strings.TrimSuffix(name, "_test")) || slices.Contains(vague, name) {
			t.Errorf("%s: package %s: the name is a lower-case word for what it holds", s.path, name)
		}
		if _, seen := documented[s.dir]; !seen {
			documented[s.dir] = false
		}
		if s.file.Doc != nil {
			documented[s.dir] = true
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s: no file has a package comment", dir)
		}
	}
}

// machine are paths of whoever wrote a file; they mean nothing to anyone else.
var machine = regexp.MustCompile(`(^|[\s"'` + "`" + `(=:])/(work|root|home/[a-z]+)/`)

func TestNoPathOfAMachine(t *testing.T) {
	walk(t, func(p string) {
		text, err := os.ReadFile(filepath.Join(root, p))
		if err != nil {
			t.Error(err)
			return
		}
		if slices.Contains(text, 0) {
			return // not text
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			if machine.MatchString(line) {
				t.Errorf("%s:%d names a path of the machine it was written on: %s", p, n, strings.TrimSpace(line))
			}
		}
	})
}
