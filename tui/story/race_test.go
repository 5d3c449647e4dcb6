package story

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ccheck/ccheck/analyzers/report"
)

// The lines are those of analyzers: each tells a race in its own words.
func TestRaceOf(t *testing.T) {
	tests := []struct{ why, want string }{
		{"A: SELECT n\nB: SELECT n   -- sees the same\nFix, best first: one; two", "A=SELECT n|B=SELECT n>sees the same#one#two"},
		{"  request A reads 5 and computes 6\n  request B reads 5 and computes 6\n  A writes 6, B writes 6: one of the two is lost\nfix: INCRBY",
			"A=reads 5 and computes 6|B=reads 5 and computes 6|A writes 6, B writes 6: one of the two is lost#INCRBY"},
		{"  goroutine A, in f: holds a\n  goroutine B: f(y, x) locks y\n  each waits for the other", "A=, in f: holds a|B=f(y, x) locks y|each waits for the other"},
		{"connection 1: SELECT pg_advisory_lock($1)\nconnection 2: SELECT pg_advisory_unlock(…)   -- false", "1=SELECT pg_advisory_lock($1)|2=SELECT pg_advisory_unlock(…)>false"},
		{"primary: INSERT\nreplica: SELECT   -- sees the state before", "primary=INSERT|replica=SELECT>sees the state before"},
		{"  worker A is slower than the time to live\n  A is done and deletes the key: it was B's", "A=is slower than the time to live|A=is done and deletes the key: it was B's"},
		{"  Another request comes\nfix: evict; or bound it", "Another request comes#evict#bound it"},
		{"", ""},
	}
	for _, tt := range tests {
		moves, lanes, fixes := raceOf(report.Finding{Why: tt.why})
		var said []string
		for _, m := range moves {
			text := m.text
			if m.lane >= 0 {
				text = lanes[m.lane] + "=" + text
			}
			if m.note != "" {
				text += ">" + m.note
			}
			said = append(said, text)
		}
		got := strings.Join(said, "|")
		for _, fix := range fixes {
			got += "#" + fix
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", tt.why, diff)
		}
	}
}

func TestPlaces(t *testing.T) {
	at := func(file string, line int) report.Location { return report.Location{File: file, Line: line} }
	f := report.Finding{Where: at("b.go", 9), Steps: []report.Step{{Text: "3", Where: at("a.go", 1)}, {Text: "1", Where: at("b.go", 2)}, {Text: "4", Where: at("c.go", 7)}, {Text: "no place"}}}
	var got []string
	for _, p := range Places(f) {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s:%d %s", p.At.File, p.At.Line, p.Note)))
	}
	if diff := cmp.Diff([]string{"b.go:2 1", "b.go:9", "a.go:1 3", "c.go:7 4"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Places that are near to each other share a part; no part leaves the file.
func TestCut(t *testing.T) {
	text := []byte(strings.Repeat("x\n", 60))
	at := func(line int) Place { return Place{At: report.Location{File: "a.go", Line: line}} }
	tests := []struct {
		places []Place
		want   string
	}{
		{[]Place{at(1)}, "1-4"},
		{[]Place{at(10), at(20)}, "7-23"},
		{[]Place{at(10), at(50)}, "7-13 47-53"},
		{[]Place{at(59), at(60), at(61), at(0)}, "56-60"},
		{[]Place{{At: report.Location{File: "b.go", Line: 3}}}, ""},
	}
	for _, tt := range tests {
		var got []string
		for _, p := range Cut("a.go", text, tt.places) {
			got = append(got, fmt.Sprintf("%d-%d", p.First, p.First+len(p.Lines)-1))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%v: %v, want %s", tt.places, got, tt.want)
		}
	}
}

// A finding of any report fits into any width, and moves no cursor.
func TestAnySource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loc := func(name string) report.Location {
			return report.Location{File: rapid.SampledFrom([]string{"a.go", "b.go", ""}).Draw(t, name), Line: rapid.IntRange(-1, 9).Draw(t, name+"line")}
		}
		f := report.Finding{Rule: rapid.String().Draw(t, "rule"), Message: rapid.String().Draw(t, "message"), Why: rapid.StringMatching(`([AB1]: .*(   -- .*)?\n|fix: .*\n|.*\n){0,6}`).Draw(t, "why"), Where: loc("where")}
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			f.Steps = append(f.Steps, report.Step{Text: rapid.String().Draw(t, "step"), Where: loc("at")})
		}
		e := Excerpt{Parts: Cut("a.go", []byte(rapid.String().Draw(t, "text")), Places(f)), Diff: rapid.String().Draw(t, "diff"), Trouble: rapid.String().Draw(t, "trouble")}
		o := Options{Width: rapid.IntRange(40, 140).Draw(t, "width")}
		for _, l := range TellSource(f, e, o) {
			if text := l.String(); ansi.StringWidth(text) > o.Width || strings.ContainsAny(text, "\n\t\x1b") {
				t.Fatalf("%d cells: %q", ansi.StringWidth(text), text)
			}
		}
	})
}

func TestMarkdownOfSource(t *testing.T) {
	f := report.Finding{
		Rule: "sqlcheckact", Severity: report.High, Message: "one update is lost", Where: report.Location{File: "a.go", Line: 9},
		Why:   "A: SELECT n\nB: SELECT n   -- sees the same\nFix, best first: n = n + 1; a lock",
		Steps: []report.Step{{Text: "read here", Where: report.Location{File: "a.go", Line: 2}}},
	}
	want := "### sqlcheckact\n\none update is lost\n\n- `a.go:2`: read here\n- `a.go:9`\n\n1. **A** SELECT n\n2. **B** SELECT n → sees the same\n\n" +
		"**Ways out, the best first:**\n\n- n = n + 1\n- a lock\n"
	if diff := cmp.Diff(want, Markdown(f)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A finding of source is told in lanes where two race, and loses no word by it.
func TestInLanes(t *testing.T) {
	at := func(line int) report.Location { return report.Location{File: "wallet.go", Line: line, Column: 2} }
	f := report.Finding{
		Rule: "sqlcheckact", Where: at(21),
		Why: "A: SELECT balance FROM account\nB: SELECT balance FROM account   -- sees the same\nA: UPDATE account SET balance = $1\n" +
			"B: UPDATE account SET balance = $1   -- overwrites what A wrote\nFix, best first: UPDATE account SET balance = balance - $1; a CHECK constraint",
		Steps: []report.Step{{Text: "read here: SELECT balance FROM account", Where: at(15)}, {Text: "called here", Where: at(40)}},
	}
	got := InLanes(f)
	if len(got.Lanes) != 2 || len(got.Steps) != 4 || got.Steps[0].Where != at(15) || got.Steps[3].Result != "overwrites what A wrote" {
		t.Errorf("lanes %v, steps %+v", got.Lanes, got.Steps)
	}
	if got.Why != "wallet.go:40:2: called here" || len(got.Fixes) != 2 || got.Fixes[1].Title != "a CHECK constraint" {
		t.Errorf("why %q, fixes %+v", got.Why, got.Fixes)
	}
	alone := report.Finding{Where: at(3), Why: "each new key adds an entry\nfix: evict by age"}
	if kept := InLanes(alone); kept.Why != alone.Why || len(kept.Lanes) != 0 {
		t.Errorf("a finding without a race became %+v", kept)
	}
}
