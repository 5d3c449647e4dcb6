package historytest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

var update = flag.Bool("update", false, "write the goldens")

// Judge is a judge of a history: the texts of why it has no verdict come with
// the findings.
type Judge func(*history.File) (findings []report.Finding, unknown []string, err error)

// Golden judges every testdata/*.txt of the package and compares the findings
// with the .golden beside it.
func Golden(t *testing.T, judge Judge) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata/*.txt: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".txt")
		t.Run(filepath.Base(name), func(t *testing.T) {
			lines, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := say(t, judge, string(lines))
			if again := say(t, judge, string(lines)); again != got {
				t.Errorf("the same file gives other findings the second time:\n%s", cmp.Diff(got, again))
			}
			compare(t, name+".golden", got)
		})
	}
}

func say(t *testing.T, judge Judge, lines string) string {
	t.Helper()
	findings, unknown, err := judge(Read(t, lines))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range findings {
		b.WriteString(Text(&f))
	}
	for _, u := range unknown {
		fmt.Fprintf(&b, "unknown: %s\n", u)
	}
	if b.Len() == 0 {
		return "clean\n"
	}
	return b.String()
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); go test -update writes it:\n%s", file, diff)
	}
}

// Text writes a finding as a test reads it.
func Text(f *report.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n", f.Severity, f.Rule, f.Message)
	fmt.Fprintf(&b, "  anomaly: %s\n  seen %d, %s to %s\n", f.Anomaly, f.Count, f.First, f.Last)
	if len(f.Columns) > 0 {
		fmt.Fprintf(&b, "  rows: %v %v more %d\n", f.Columns, f.Rows, f.More)
	}
	for _, l := range f.Lanes {
		fmt.Fprintf(&b, "  %s = %s\n", l.Name, l.Detail)
	}
	for n, s := range f.Steps {
		fmt.Fprintf(&b, "  %d %s| %s", n, f.Lanes[s.Lane].Name, s.Text)
		for _, part := range []string{s.Read, s.Wrote, s.Result, s.Wait} {
			if part != "" {
				fmt.Fprintf(&b, "  [%s]", part)
			}
		}
		for _, d := range s.Deps {
			fmt.Fprintf(&b, "  <-%s- %d", d.Kind, d.From)
		}
		b.WriteByte('\n')
	}
	for _, line := range [][2]string{{"before", f.Before}, {"after", f.After}, {"expected", f.Expected}, {"why", f.Why}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "  %s: %s\n", line[0], line[1])
		}
	}
	for _, x := range f.Fixes {
		fmt.Fprintf(&b, "  fix (%s): %s\n", x.Kind, x.Title)
		if x.SQL != "" {
			fmt.Fprintf(&b, "      %s\n", strings.ReplaceAll(x.SQL, "\n", "\n      "))
		}
		if x.Note != "" {
			fmt.Fprintf(&b, "      (%s)\n", x.Note)
		}
	}
	return b.String()
}
