package scenario_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/ccheck/ccheck/probes/scenario"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Each archive is a folder with faults and, last, what Load says about it.
func TestFaultsAreToldWithPlaceAndMend(t *testing.T) {
	archives, err := filepath.Glob("testdata/faults/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { testFaults(t, path) })
	}
}

func testFaults(t *testing.T, path string) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	folder, want := fstest.MapFS{}, ""
	for i, f := range a.Files {
		if f.Name == "faults" {
			want, a.Files = string(f.Data), a.Files[:i]
			break
		}
		folder["shop/"+f.Name] = &fstest.MapFile{Data: f.Data}
	}
	_, err = scenario.Load(folder, "shop")
	got := faults(err)
	if *update {
		a.Files = append(a.Files, txtar.File{Name: "faults", Data: []byte(got)})
		if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got, -update rewrites it)\n%s", diff)
	}
	for _, e := range scenario.Errors(err) {
		if !errors.Is(err, e) {
			t.Errorf("%v is not in the joined error", e)
		}
	}
}

// faults is what a person sees: the message, and the hint on the next line.
func faults(err error) string {
	var b strings.Builder
	for _, e := range scenario.Errors(err) {
		fmt.Fprintln(&b, e)
		if e.Hint != "" {
			fmt.Fprintln(&b, "  "+e.Hint)
		}
	}
	return b.String()
}
