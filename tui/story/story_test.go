package story_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story"
	"github.com/ccheck/ccheck/tui/story/storytest"
)

func text(lines []story.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

func TestTell(t *testing.T) {
	finds := map[string]report.Finding{
		"lostupdate": storytest.LostUpdate(), "writeskew": storytest.WriteSkew(), "retry": storytest.Unretried(),
	}
	sizes := map[string]story.Options{
		"120": {Width: 120}, "100": {Width: 100}, "50": {Width: 50}, "ascii": {Width: 110, ASCII: true},
		"plain": {Plain: true}, "verbose": {Width: 100, Verbose: true},
	}
	for name, f := range finds {
		for size, o := range sizes {
			t.Run(name+"/"+size, func(t *testing.T) {
				storytest.Golden(t, name+"."+size+".golden", text(story.Tell(f, o)))
			})
		}
	}
}

// TestThreeLanes has arrows said in words, since they would cross the middle lane.
func TestThreeLanes(t *testing.T) {
	f := storytest.LostUpdate()
	f.Lanes = append(f.Lanes, report.Lane{Name: "T3", Detail: "auditor"})
	f.Steps = append(f.Steps, report.Step{Lane: 2, Text: "SELECT sum(balance) FROM wallet", Read: "2020",
		Deps: []report.Dep{{From: 5, Kind: "wr"}}})
	storytest.Golden(t, "threelanes.golden", text(story.Lanes(f, story.Options{Width: 120})))
}

func TestMarkdown(t *testing.T) {
	storytest.Golden(t, "lostupdate.md", story.Markdown(storytest.LostUpdate()))
}

func TestTable(t *testing.T) {
	for name, o := range map[string]story.Options{
		"120": {Width: 120}, "80": {Width: 80}, "40": {Width: 40}, "plain": {Plain: true}, "ascii": {Width: 120, ASCII: true},
	} {
		t.Run(name, func(t *testing.T) {
			storytest.Golden(t, "table."+name+".golden", text(story.Table(storytest.Compare(), o)))
		})
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		in            string
		width, indent int
		want          []string
	}{
		{"", 10, 0, nil},
		{"short", 10, 2, []string{"short"}},
		{"select a from b where c", 12, 2, []string{"select a", "  from b", "  where c"}},
		{"abcdefghijkl", 5, 0, []string{"abcde", "fghij", "kl"}},
		{"日本語テスト", 4, 0, []string{"日本", "語テ", "スト"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, story.Wrap(tt.in, tt.width, tt.indent)); diff != "" {
			t.Errorf("Wrap(%q, %d, %d): (-want +got)\n%s", tt.in, tt.width, tt.indent, diff)
		}
	}
}

// TestClean keeps a value in a table from moving the cursor.
func TestClean(t *testing.T) {
	tests := map[string]string{
		"a\n\tb":          "a b",
		"\x1b[2Jboo":      "?[2Jboo",
		"x\u202etxt.exe":  "x?txt.exe",
		"  münchen  8 € ": "münchen 8 €",
	}
	for in, want := range tests {
		if got := story.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAt(t *testing.T) {
	storytest.Golden(t, "at5.golden", text(story.At(storytest.LostUpdate(), 5, story.Options{})))
	storytest.Golden(t, "at7.golden", text(story.At(storytest.LostUpdate(), 7, story.Options{})))
}

// TestAnyFinding draws findings no judge would make, as a damaged file might
// hold them: nothing panics, no line is wider than asked for, no escape gets out.
func TestAnyFinding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFinding(t)
		o := story.Options{
			Width: rapid.IntRange(20, 160).Draw(t, "width"), ASCII: rapid.Bool().Draw(t, "ascii"),
			Verbose: rapid.Bool().Draw(t, "verbose"),
		}
		for _, l := range story.Tell(f, o) {
			if w := ansi.StringWidth(l.String()); w > o.Width {
				t.Fatalf("line of %d cells at width %d: %q", w, o.Width, l.String())
			}
			if strings.ContainsAny(l.String(), "\x1b\n\r\t") {
				t.Fatalf("control character in %q", l.String())
			}
		}
		for i := range f.Steps {
			story.At(f, i, o)
		}
		story.Markdown(f)
		o.Plain = true
		story.Tell(f, o)
	})
}

func anyFinding(t *rapid.T) report.Finding {
	word := rapid.String()
	f := report.Finding{
		Rule: word.Draw(t, "rule"), Severity: report.Severity(word.Draw(t, "severity")), Message: word.Draw(t, "message"),
		Claim: word.Draw(t, "claim"), Before: word.Draw(t, "before"), Why: word.Draw(t, "why"),
		Columns: rapid.SliceOfN(word, 0, 4).Draw(t, "columns"),
		Rows:    rapid.SliceOfN(rapid.SliceOfN(word, 0, 5), 0, 4).Draw(t, "rows"),
		Fixes:   []report.Fix{{Kind: report.Atomic, Title: word.Draw(t, "title"), SQL: word.Draw(t, "sql")}},
		Repro:   report.Repro{Command: word.Draw(t, "repro"), Psql: []string{word.Draw(t, "psql")}},
	}
	for range rapid.IntRange(0, 4).Draw(t, "lanes") {
		f.Lanes = append(f.Lanes, report.Lane{Name: word.Draw(t, "name"), Detail: word.Draw(t, "detail")})
	}
	for range rapid.IntRange(0, 6).Draw(t, "steps") {
		s := report.Step{Lane: rapid.IntRange(-1, 5).Draw(t, "lane"), Text: word.Draw(t, "text"), Read: word.Draw(t, "read"),
			Wrote: word.Draw(t, "wrote"), Result: word.Draw(t, "result"), Wait: word.Draw(t, "wait")}
		for range rapid.IntRange(0, 2).Draw(t, "deps") {
			s.Deps = append(s.Deps, report.Dep{From: rapid.IntRange(-1, 6).Draw(t, "from"),
				Kind: rapid.SampledFrom([]string{"rw", "ww", "wr", "zz"}).Draw(t, "kind")})
		}
		f.Steps = append(f.Steps, s)
	}
	return f
}

// A race that breaks several claims names them all where it is told.
func TestAlso(t *testing.T) {
	f := report.Finding{Severity: report.High, Anomaly: "lost update (P4)", Claim: "a", Also: []string{"b", "c"}}
	if got := story.Head(f, story.Options{Width: 120})[0].String(); !strings.HasSuffix(got, `breaks "a", "b" and "c"`) {
		t.Error(got)
	}
	if got := story.Markdown(f); !strings.Contains(got, "breaks “a”, “b” and “c”") {
		t.Error(got)
	}
}
