package output

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
)

func recorded() *Recording {
	r := &Recording{}
	_ = r.Begin(report.Run{ID: "7f3a", Probe: "stress", Scenario: "wallet"})
	r.Progress(report.Progress{Accepted: 1})
	_ = r.Add(report.Finding{Rule: "invariant", Severity: report.High, Message: "Money is gone."})
	_ = r.End(report.Summary{Verdict: report.Faulty, Line: "ccheck: 1 finding"})
	return r
}

// Every format that has an end can be saved, a second time beside the first.
func TestSave(t *testing.T) {
	for _, f := range All {
		if f.Stream {
			continue
		}
		dir := t.TempDir()
		for _, want := range []string{"ccheck-7f3a." + f.Ext, "ccheck-7f3a-2." + f.Ext} {
			path, err := recorded().Save(dir, f)
			if err != nil || path != filepath.Join(dir, want) {
				t.Fatalf("%s: path %s, error %v", f.Name, path, err)
			}
			if text := read(t, path); !strings.Contains(text, "Money is gone.") {
				t.Errorf("%s: the file holds\n%s", f.Name, text)
			}
		}
	}
}

func TestSaveNeverOverwrites(t *testing.T) {
	dir := t.TempDir()
	text, _ := Lookup("text")
	mine := filepath.Join(dir, "ccheck-7f3a.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := recorded().Save(dir, text); err != nil {
		t.Fatal(err)
	}
	if got := read(t, mine); got != "mine" {
		t.Errorf("the file that was there holds %q", got)
	}
}

func TestSaveErrors(t *testing.T) {
	text, _ := Lookup("text")
	_, err := recorded().Save(filepath.Join(t.TempDir(), "none"), text)
	if err == nil || !strings.Contains(err.Error(), "no such file or directory") {
		t.Errorf("into a folder that is not there: %v", err)
	}
}

func TestExtensionsAreDistinct(t *testing.T) {
	seen := map[string]string{}
	for _, f := range All {
		if f.Ext == "" || seen[f.Ext] != "" {
			t.Errorf("%s has the extension %q, which %s has", f.Name, f.Ext, seen[f.Ext])
		}
		seen[f.Ext] = f.Name
	}
}
