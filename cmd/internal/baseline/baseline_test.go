package baseline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
)

func found(prints ...string) []report.Finding {
	var all []report.Finding
	for _, p := range prints {
		all = append(all, report.Finding{Rule: "r", Message: "m " + p, Fingerprint: p})
	}
	return all
}

func prints(all []report.Finding) string {
	var said []string
	for _, f := range all {
		said = append(said, f.Fingerprint)
	}
	return strings.Join(said, " ")
}

func TestApply(t *testing.T) {
	tests := []struct {
		name         string
		known, found []report.Finding
		fresh        string
		notes        []string
	}{
		{"no baseline", nil, found("a"), "a", nil},
		{"all known", found("a", "b"), found("b", "a"), "", []string{"2 known findings of k are not shown"}},
		{"one new, one gone", found("a", "z"), found("a", "b"), "b", []string{"1 known finding of k is not shown", "1 finding of k is not seen; when all was judged that should be, --write-baseline leaves them out"}},
		// Without a fingerprint two findings cannot be told apart: neither is known.
		{"no fingerprint", found(""), found("", ""), " ", nil},
	}
	for _, tt := range tests {
		f := Flags{Known: "k"}
		fresh, notes, err := f.Apply(Of(tt.known), tt.found)
		if err != nil || prints(fresh) != tt.fresh || !slices.Equal(notes, tt.notes) {
			t.Errorf("%s: fresh %q, want %q; notes %q, want %q; %v", tt.name, prints(fresh), tt.fresh, notes, tt.notes, err)
		}
	}
}

// What is written is read again, in the same order whatever the order of the
// findings, and what has no fingerprint stays new.
func TestWriteAndRead(t *testing.T) {
	dir := t.TempDir()
	one, two := Flags{Write: filepath.Join(dir, "one.json")}, Flags{Write: filepath.Join(dir, "two.json")}
	fresh, notes, err := one.Apply(Baseline{}, found("b", "a", "", "b"))
	if err != nil || prints(fresh) != "" || len(fresh) != 1 || !slices.Equal(notes, []string{"2 findings written to " + one.Write}) {
		t.Errorf("fresh %d %q, notes %q, %v", len(fresh), prints(fresh), notes, err)
	}
	if _, _, err := two.Apply(Baseline{}, found("a", "b")); err != nil {
		t.Fatal(err)
	}
	a, errA := os.ReadFile(one.Write)
	b, errB := os.ReadFile(two.Write)
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Errorf("the files differ: %v %v\n%s\n%s", errA, errB, a, b)
	}
	again := Flags{Known: one.Write}
	known, err := again.Read()
	if err != nil {
		t.Fatal(err)
	}
	if fresh, _, _ := known.Split(found("a", "c")); prints(fresh) != "c" {
		t.Errorf("new are %q, want c", prints(fresh))
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	missing := filepath.Join(dir, "none.json")
	tests := []struct {
		flags Flags
		code  int
		want  string
	}{
		{Flags{}, 0, ""},
		{Flags{Known: missing, Write: missing}, 0, ""},
		{Flags{Known: missing}, exit.Usage, "there is no baseline " + missing},
		{Flags{Known: file("text", "hello")}, exit.Usage, "is no baseline that can be read: reading the JSON"},
		{Flags{Known: file("report", `{"schema":"ccheck/1","findings":[]}`)}, exit.Usage, `its schema is "ccheck/1", and this ccheck reads "ccheck-baseline/1"`},
		{Flags{Known: dir}, exit.Failed, "is a directory"},
	}
	for _, tt := range tests {
		err := tt.flags.Check()
		if exit.Code(err) != tt.code || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: %v, want code %d, %q", tt.flags, err, tt.code, tt.want)
		}
	}
	if err := Of(nil).Write(filepath.Join(missing, "x")); exit.Code(err) != exit.Failed {
		t.Errorf("into a folder that is not there: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schema":"ccheck-baseline/1","findings":[{"fingerprint":"a","rule":"r","message":"m"}]}`))
	f.Add([]byte(`{"schema":"ccheck-baseline/1","findings":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := decode(text)
		if err != nil {
			return
		}
		fresh, known, unseen := b.Split(found("a", "b"))
		if len(fresh)+len(known) != 2 || unseen > len(b.Findings) {
			t.Errorf("%d new, %d known, %d not seen of %d", len(fresh), len(known), unseen, len(b.Findings))
		}
	})
}

func FuzzChanged(f *testing.F) {
	f.Add("diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -3 +3,2 @@ func x\n-a\n+b\n+c\n")
	f.Add("+++ \"b/\\303\\244.go\"\n@@ -0,0 +1 @@\n+++ b/evil.go\n@@ -1,-2 +9999999999999999999,1 @@\n")
	f.Fuzz(func(t *testing.T, diff string) {
		for name, spans := range changed(diff) {
			for _, s := range spans {
				if name == "" || s.from < 0 || s.to < s.from-1 {
					t.Errorf("%q: %+v", name, s)
				}
			}
		}
	})
}

func TestChanged(t *testing.T) {
	diff := strings.Join([]string{
		"diff --git a/a.go b/a.go", "--- a/a.go", "+++ b/a.go",
		"@@ -1,2 +1,3 @@ package a", "-x", "-y", "+++ b/not.go", "+@@ -1 +1 @@", "+z",
		`\ No newline at end of file`,
		"@@ -9,2 +10,0 @@", "-x", "-y",
		"diff --git a/gone.go b/gone.go", "--- a/gone.go", "+++ /dev/null", "@@ -1 +0,0 @@", "-x",
		"diff --git a/b c.go b/b c.go", "--- a/b c.go\t", "+++ b/b c.go\t", "@@ -4 +5 @@", "-x", "+y",
		`diff --git "a/\303\244.go" "b/\303\244.go"`, `+++ "b/\303\244.go"`, "@@ -4 +7 @@", "-x", "+y", "",
	}, "\n")
	got := fmt.Sprint(changed(diff))
	if want := "map[a.go:[{1 3} {10 11}] b c.go:[{5 5}] ä.go:[{7 7}]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
