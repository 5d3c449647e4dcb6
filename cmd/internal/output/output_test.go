package output

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func parseFlags(t *testing.T, args ...string) *Flags {
	t.Helper()
	f := &Flags{}
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	f.Register(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFlags(t *testing.T) {
	tests := []struct {
		args string
		want string // "name>file …" of the targets, or the error and its hint
	}{
		{"", All[0].Name + ">"},
		{"--json", "json>"},
		{"--format json", "json>"},
		{"--format json:a.json --format jsonl", "json>a.json jsonl>"},
		{"--format json:C:\\a.json", "json>C:\\a.json"},
		{"--json -o a.json", "json>a.json"},
		{"--format jsonl --format json:b -o a", "jsonl>a json>b"},
		{"--format text --format github", "text> github>"},
		{"--format json --format github", "formats json and github both go to standard output; give one of them a file: --format github:FILE"},
		{"--format github --format github", "formats github and github both go to standard output; give one of them a file: --format github:FILE"},
		{"--format text:a --format github:a", "formats text and github both go to a; give one of them a file: --format github:FILE"},
		{"--format jsn", `unknown format "jsn"; did you mean "json"?`},
		{"--format checkstyle", `unknown format "checkstyle"; known formats: ` + strings.Join(Names(), ", ")},
		{"--format json:", "--format json: names no file after the colon; use --format json for standard output or --format json:FILE"},
		{"--json --format jsonl", "formats jsonl and json both go to standard output; give one of them a file: --format json:FILE"},
		{"--format json:a --format jsonl:a", "formats json and jsonl both go to a; give one of them a file: --format jsonl:FILE"},
		{"--format json:a -o b", "--output b has no format to hold: every --format names a file of its own; leave --output out, or add --format text"},
	}
	for _, tt := range tests {
		targets, err := parseFlags(t, strings.Fields(tt.args)...).targets()
		if got := describe(targets, err); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.args, got, tt.want)
		}
	}
}

func describe(targets []target, err error) string {
	if err != nil {
		p := exit.Problems(err)[0]
		if p.Code != exit.Usage {
			return "not a usage error: " + p.Msg
		}
		return p.Msg + "; " + p.Hint
	}
	var words []string
	for _, t := range targets {
		words = append(words, t.format.Name+">"+t.file)
	}
	return strings.Join(words, " ")
}

func TestFilesAppearWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := stdio.Test()
	out, err := parseFlags(t, "--format", "json:"+path).Open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := errors.Join(out.Begin(report.Run{ID: "r1"}), out.Add(report.Finding{Rule: "x"})); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "old" {
		t.Errorf("before the end the file is %q, want the old one", got)
	}
	if err := out.End(report.Summary{Verdict: report.Faulty}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); !strings.Contains(got, `"id": "r1"`) {
		t.Errorf("after the end the file is %q", got)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the replaced file became %v", info.Mode())
	}
	onlyFile(t, dir, "run.json")
}

func TestCloseWithoutEndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s, _ := stdio.Test()
	out, err := parseFlags(t, "--format", "json:"+filepath.Join(dir, "run.json")).Open(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Begin(report.Run{}); err != nil {
		t.Fatal(err)
	}
	out.Close()
	onlyFile(t, dir)
}

func TestAStreamIsThereBeforeTheEnd(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.jsonl")
	s, _ := stdio.Test()
	out, err := parseFlags(t, "--format", "jsonl:"+path).Open(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Begin(report.Run{ID: "r1"}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); !strings.Contains(got, `"event":"begin"`) {
		t.Errorf("after Begin the stream holds %q", got)
	}
	out.Close()
	onlyFile(t, dir, "run.jsonl")
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	tests := []struct{ file, want string }{
		{filepath.Join(dir, "no", "run.json"), "cannot write " + filepath.Join(dir, "no", "run.json") + ": no such file or directory"},
		{dir, "cannot write " + dir + ": it is a folder"},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		_, err := parseFlags(t, "--format", "json:"+tt.file).Open(s)
		if err == nil || err.Error() != tt.want || exit.Code(err) != exit.Failed {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	onlyFile(t, dir)
}

func TestScreenTakesTheTerminalsPlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.json")
	s, b := stdio.Test()
	screen := &counter{}
	out, err := parseFlags(t, "--format", "jsonl", "--format", "json:"+path).Open(s, screen)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.Begin(report.Run{}), out.End(report.Summary{})); err != nil {
		t.Fatal(err)
	}
	if screen.n != 2 || b.Out.Len() != 0 {
		t.Errorf("screen saw %d of 2 calls, standard output %q", screen.n, b.Out.String())
	}
	if read(t, path) == "" {
		t.Error("the file beside the screen is empty")
	}
}

// On GitHub Actions annotations come along, unless somebody chose a format.
func TestAnnotationsOnGitHub(t *testing.T) {
	for _, tt := range []struct {
		args string
		want bool
	}{{"", true}, {"--format text", false}, {"--json", false}} {
		s, b := stdio.Test()
		summary := filepath.Join(t.TempDir(), "summary.md")
		s.Env = func(name string) string {
			return map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary}[name]
		}
		out, err := parseFlags(t, strings.Fields(tt.args)...).Open(s)
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(out.Begin(report.Run{}), out.Add(report.Finding{Rule: "x", Message: "m"}), out.End(report.Summary{Verdict: report.Faulty}))
		_, noPage := os.Stat(summary)
		if got := strings.Contains(b.Out.String(), "::notice "); err != nil || got != tt.want || (noPage == nil) != tt.want {
			t.Errorf("%q: error %v, annotations %v, page %v, want %v\n%s", tt.args, err, got, noPage == nil, tt.want, b.Out.String())
		}
	}
}

func TestMultiGoesOnAfterAnError(t *testing.T) {
	bad, good := &counter{err: errors.New("broken")}, &counter{}
	m := Multi(bad, good)
	m.Progress(report.Progress{})
	for _, err := range []error{m.Begin(report.Run{}), m.Add(report.Finding{}), m.End(report.Summary{})} {
		if err == nil || err.Error() != "broken" {
			t.Errorf("error %v, want broken", err)
		}
	}
	if good.n != 4 {
		t.Errorf("the good sink saw %d of 4 calls", good.n)
	}
}

// counter is a sink that counts its calls.
type counter struct {
	n   int
	err error
}

func (c *counter) Begin(report.Run) error   { c.n++; return c.err }
func (c *counter) Progress(report.Progress) { c.n++ }
func (c *counter) Add(report.Finding) error { c.n++; return c.err }
func (c *counter) End(report.Summary) error { c.n++; return c.err }

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// onlyFile checks that dir holds these names and no others.
func onlyFile(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}
