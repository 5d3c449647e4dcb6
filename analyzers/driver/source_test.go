package driver

import (
	"context"
	"errors"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"

	"github.com/ccheck/ccheck/analyzers/code/sharedglobal"
	"github.com/ccheck/ccheck/analyzers/report"
)

// noted is the fact that a function was declared with a comment that says bad.
type noted struct{ Says string }

func (*noted) AFact() {}

// bad reports calls of functions whose comment says bad, wherever they were
// declared: it works only when facts get from package to package.
var bad = &analysis.Analyzer{
	Name: "bad", Doc: "bad: calls of bad functions", FactTypes: []analysis.Fact{new(noted)},
	Run: func(pass *analysis.Pass) (any, error) {
		for _, f := range pass.Files {
			for _, d := range f.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && strings.Contains(fd.Doc.Text(), "bad") {
					pass.ExportObjectFact(pass.TypesInfo.Defs[fd.Name], &noted{Says: strings.TrimSpace(fd.Doc.Text())})
				}
			}
			ast.Inspect(f, func(n ast.Node) bool { callsBad(pass, n); return true })
		}
		return nil, nil
	},
}

func callsBad(pass *analysis.Pass, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return
	}
	id, ok := call.Fun.(*ast.Ident)
	if sel, isSel := call.Fun.(*ast.SelectorExpr); isSel {
		id, ok = sel.Sel, true
	}
	if !ok {
		return
	}
	var n2 noted
	if fn, ok := pass.TypesInfo.Uses[id].(*types.Func); ok && pass.ImportObjectFact(fn, &n2) {
		pass.Report(analysis.Diagnostic{
			Pos: call.Pos(), End: call.End(), Category: "bad/high", Message: "calls " + fn.Name() + "\n  " + n2.Says,
			Related: []analysis.RelatedInformation{{Pos: call.Lparen, Message: "the call"}},
			SuggestedFixes: []analysis.SuggestedFix{{Message: "call good", TextEdits: []analysis.TextEdit{
				{Pos: id.Pos(), End: id.End(), NewText: []byte("Good")},
			}}},
		})
	}
}

const shop = `
-- go.mod --
module example.com/shop

go 1.24
-- low/low.go --
package low

// Old is bad.
func Old() {}

func Good() {}
-- mid/mid.go --
package mid

import "example.com/shop/low"

func Mid() { low.Old() }
-- top/top.go --
package top

import (
	"example.com/shop/low"
	"example.com/shop/mid"
)

func Top() {
	mid.Mid()
	low.Old()
}
-- top/top_test.go --
package top

import (
	"testing"

	"example.com/shop/low"
)

func TestTop(t *testing.T) { low.Old() }
-- top/outside_test.go --
package top_test

import (
	"testing"

	"example.com/shop/low"
	"example.com/shop/top"
)

func TestOutside(t *testing.T) { top.Top(); low.Old() }
`

// tree writes a txtar into a folder of its own.
func tree(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(text)).Files {
		put(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	return dir
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func vet(t *testing.T, s Source) SourceResult {
	t.Helper()
	if s.Patterns == nil {
		s.Patterns = []string{"./..."}
	}
	if s.Analyzers == nil {
		s.Analyzers = []*analysis.Analyzer{bad}
	}
	s.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local")
	r, err := JudgeSource(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// places are the findings as file:line rule.
func places(r SourceResult) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, strings.Join([]string{f.Where.File, itoa(f.Where.Line), f.Rule}, ":"))
	}
	return all
}

func itoa(n int) string { return string(rune('0'+n/10)) + string(rune('0'+n%10)) }

func TestFactsGetFromPackageToPackage(t *testing.T) {
	r := vet(t, Source{Dir: tree(t, shop)})
	if want := []string{"mid/mid.go:05:bad", "top/top.go:10:bad"}; !slices.Equal(places(r), want) || r.Verdict != report.Faulty || r.Packages != 3 {
		t.Fatalf("%v in %d packages, verdict %s %q; want %v", places(r), r.Packages, r.Verdict, r.Reasons, want)
	}
	f := r.Findings[0]
	if f.Message != "calls Old" || f.Why != "  Old is bad." || f.Severity != report.High || f.Fingerprint == "" {
		t.Errorf("finding %+v", f)
	}
	if len(f.Steps) != 1 || f.Steps[0].Text != "the call" || f.Steps[0].Where.File != "mid/mid.go" {
		t.Errorf("steps %+v", f.Steps)
	}
}

// Packages that are not named are read for their facts and not judged.
func TestOnlyWhatIsNamed(t *testing.T) {
	r := vet(t, Source{Dir: tree(t, shop), Patterns: []string{"./top"}})
	if want := []string{"top/top.go:10:bad"}; !slices.Equal(places(r), want) || r.Packages != 1 {
		t.Errorf("%v in %d packages, want %v", places(r), r.Packages, want)
	}
}

func TestTestsOnDemand(t *testing.T) {
	r := vet(t, Source{Dir: tree(t, shop), Tests: true})
	want := []string{"mid/mid.go:05:bad", "top/outside_test.go:10:bad", "top/top.go:10:bad", "top/top_test.go:09:bad"}
	if !slices.Equal(places(r), want) || len(r.Reasons) > 0 {
		t.Errorf("%v %q, want %v", places(r), r.Reasons, want)
	}
}

func TestCache(t *testing.T) {
	dir := tree(t, shop)
	var runs atomic.Int32
	counting := *bad
	counting.Run = func(pass *analysis.Pass) (any, error) { runs.Add(1); return bad.Run(pass) }
	s := Source{Dir: dir, Cache: t.TempDir(), Tool: "1", Analyzers: []*analysis.Analyzer{&counting}}
	cold := vet(t, s)
	steps := []struct {
		name   string
		change func()
		runs   int32
	}{
		{"nothing changed", func() {}, 0},
		{"the top changed", func() { put(t, filepath.Join(dir, "top/more.go"), "package top\n") }, 1},
		{"the bottom changed", func() { put(t, filepath.Join(dir, "low/more.go"), "package low\n\nvar X int\n") }, 3},
		{"another ccheck", func() { s.Tool = "2" }, 3},
		{"the first again", func() { s.Tool = "1" }, 0},
	}
	for _, step := range steps {
		step.change()
		runs.Store(0)
		r := vet(t, s)
		if runs.Load() != step.runs || r.Cached != 3-int(step.runs) {
			t.Errorf("%s: %d packages judged and %d known, want %d judged", step.name, runs.Load(), r.Cached, step.runs)
		}
		if !slices.Equal(places(r), places(cold)) || r.Findings[0].Fingerprint != cold.Findings[0].Fingerprint {
			t.Errorf("%s: %v, want %v", step.name, places(r), places(cold))
		}
	}
}

// A file of the cache that is damaged is a miss.
func TestDamagedCache(t *testing.T) {
	s := Source{Dir: tree(t, shop), Cache: t.TempDir()}
	cold := vet(t, s)
	files, err := filepath.Glob(filepath.Join(s.Cache, "??", "*"))
	if err != nil || len(files) != 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		put(t, name, "x")
	}
	if r := vet(t, s); r.Cached != 0 || !slices.Equal(places(r), places(cold)) {
		t.Errorf("%d known, findings %v", r.Cached, places(r))
	}
}

func TestWhatDoesNotCompileIsUnknown(t *testing.T) {
	dir := tree(t, shop)
	put(t, filepath.Join(dir, "low/broken.go"), "package low\n\nvar x int = \"text\"\n")
	put(t, filepath.Join(dir, "alone/alone.go"), "package alone\n\n// F is bad.\nfunc F() {}\n\nfunc g() { F() }\n")
	r := vet(t, Source{Dir: dir})
	if len(r.Reasons) != 1 || !strings.HasPrefix(r.Reasons[0], "example.com/shop/low: ") ||
		!strings.Contains(r.Reasons[0], "broken.go:3:13") || !strings.Contains(r.Reasons[0], "and so for 2 that import it") {
		t.Errorf("reasons %q", r.Reasons)
	}
	if want := []string{"alone/alone.go:06:bad"}; !slices.Equal(places(r), want) || r.Verdict != report.Faulty {
		t.Errorf("%v, verdict %s", places(r), r.Verdict)
	}
	if r := vet(t, Source{Dir: dir, Patterns: []string{"./mid"}}); r.Verdict != report.Unknown || len(r.Reasons) != 1 {
		t.Errorf("verdict %s, reasons %q", r.Verdict, r.Reasons)
	}
}

// A crash costs one rule in one package, and the word clean.
func TestACrashOfAnAnalyzerIsUnknown(t *testing.T) {
	fragile := &analysis.Analyzer{Name: "fragile", Doc: "fragile: panics", Run: func(pass *analysis.Pass) (any, error) {
		if pass.Pkg.Name() == "mid" {
			panic("index out of range")
		}
		return nil, nil
	}}
	cache := t.TempDir()
	dir := tree(t, shop)
	for range 2 { // what is incomplete is not kept
		r := vet(t, Source{Dir: dir, Cache: cache, Analyzers: []*analysis.Analyzer{fragile, bad}})
		if len(r.Reasons) != 1 || r.Reasons[0] != "example.com/shop/mid: the rule fragile crashed: index out of range" || len(r.Findings) != 2 {
			t.Errorf("reasons %q, findings %v", r.Reasons, places(r))
		}
	}
}

func TestSourceCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := JudgeSource(ctx, Source{Dir: tree(t, shop), Patterns: []string{"./..."}, Analyzers: []*analysis.Analyzer{bad}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A write that a handler reaches in another package is reported there, column
// included, though that package is known by its export data alone.
func TestPlaceInAnotherPackage(t *testing.T) {
	s := Source{Dir: tree(t, handed), Patterns: []string{"./web"}, Cache: t.TempDir(), Analyzers: []*analysis.Analyzer{sharedglobal.Analyzer}}
	for _, run := range []string{"cold", "warm below"} {
		r := vet(t, s)
		if len(r.Findings) != 1 || r.Findings[0].Where != (report.Location{File: "store/store.go", Line: 5, Column: 27}) {
			t.Errorf("%s: %+v %q, want one finding at store/store.go:5:27", run, r.Findings, r.Reasons)
		}
		put(t, filepath.Join(s.Dir, "web/more.go"), "package web\n")
	}
}

const handed = `
-- go.mod --
module example.com/shop

go 1.24
-- store/store.go --
package store

var Items = map[string]int{}

func Put(k string) { Items[k]++ }
-- web/web.go --
package web

import (
	"net/http"

	"example.com/shop/store"
)

func put(w http.ResponseWriter, r *http.Request) { store.Put(r.URL.Path) }

func Routes() { http.HandleFunc("/put", put) }
`

// A function that is too large to be looked at is a reason to say unknown.
func TestLargeFunctions(t *testing.T) {
	straight := "package a\n\nfunc F(n int) int {\n" + strings.Repeat("\tn += G(n)\n", 21000) + "\treturn n\n}\n\nfunc G(n int) int { return n }\n"
	branches := "package a\n\nfunc F(n int) int {\n" + strings.Repeat("\tif n > 9 {\n\t\tn--\n\t}\n", 2100) + "\treturn n\n}\n"
	for want, text := range map[string]string{"instructions, more than the": straight, "blocks of code, more than the": branches} {
		dir := tree(t, "-- go.mod --\nmodule example.com/a\n\ngo 1.24\n")
		put(t, filepath.Join(dir, "a.go"), text)
		r := vet(t, Source{Dir: dir, Analyzers: []*analysis.Analyzer{sharedglobal.Analyzer}})
		if r.Verdict != report.Unknown || len(r.Reasons) != 1 || !strings.Contains(r.Reasons[0], want) {
			t.Errorf("verdict %s %q, want unknown: %s", r.Verdict, r.Reasons, want)
		}
	}
}
