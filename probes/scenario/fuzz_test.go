package scenario_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/ccheck/ccheck/probes/scenario"
)

// FuzzLoad: whatever ccheck.yaml says, Load returns a scenario that can be
// exported, or errors with places. It neither panics nor hangs.
func FuzzLoad(f *testing.F) {
	seeds, _ := filepath.Glob("builtin/*/ccheck.yaml")
	for _, path := range seeds {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	archives, _ := filepath.Glob("testdata/faults/*.txtar")
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(a.Files[0].Data))
	}
	f.Fuzz(func(t *testing.T, manifest string) {
		s, err := scenario.Load(fstest.MapFS{
			"d/ccheck.yaml": {Data: []byte(manifest)},
			"d/pay.sql":     {Data: []byte("\\set amount 1\nSELECT :amount;\n")},
			"d/schema.sql":  {Data: []byte("SELECT 1;\n")},
		}, "d")
		if err == nil {
			if len(s.Actors) == 0 {
				t.Error("a scenario without actors")
			}
			return
		}
		faults := scenario.Errors(err)
		if len(faults) == 0 {
			t.Errorf("not an Error: %v", err)
		}
		for _, e := range faults {
			if e.File == "" || e.Msg == "" || strings.Contains(e.Msg, "%!") {
				t.Errorf("incomplete: %+v", e)
			}
		}
	})
}

// FuzzSQL: the text between the variables is never touched.
func FuzzSQL(f *testing.F) {
	f.Add("select :a, ':a', \":a\", $$:a$$, x::a -- :a")
	f.Add("E'\\':a' /* /* :a */ :a */ :a")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := scenario.SQL(text, []scenario.Param{{Name: "a", Value: ":a"}})
		if err == nil && got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// Small files that would cost much if they were believed.
func TestHostileManifestsAreRefused(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("version: 1\nactors: &a0 [{name: x}]\n")
	for i := range 40 {
		fmt.Fprintf(&bomb, "k%d: &a%d [*a%d, *a%d, *a%d]\n", i, i+1, i, i, i)
	}
	bomb.WriteString("setup: *a40\n")
	var merge strings.Builder
	merge.WriteString("version: 1\nx: &m0 {a: {sql: x}}\n")
	for i := range 40 {
		fmt.Fprintf(&merge, "y%d: &m%d {<<: *m%d, b%d: {<<: *m%d}}\n", i, i+1, i, i, i)
	}
	merge.WriteString("params: *m40\n")
	for name, manifest := range map[string]string{
		"alias bomb":     bomb.String(),
		"merge bomb":     merge.String(),
		"deep flow":      "version: 1\nactors: " + strings.Repeat("[", 50_000),
		"deep mappings":  "version: 1\nactors: " + strings.Repeat("{a: ", 50_000),
		"deep lists":     "actors:\n" + strings.Repeat("- ", 50_000),
		"too long":       "version: 1\ndoc: " + strings.Repeat("x", 1<<20),
		"cycle":          "version: 1\nactors: &a\n  - *a\n",
		"merge cycle":    "version: 1\nload: &a\n  <<: *a\n",
		"alias to alias": "version: &a *a\n",
	} {
		if _, err := scenario.Load(fstest.MapFS{"d/ccheck.yaml": {Data: []byte(manifest)}}, "d"); err == nil {
			t.Errorf("%s was accepted", name)
		} else if n := len(scenario.Errors(err)); n > 1000 {
			t.Errorf("%s: %d errors", name, n)
		}
	}
}
