package baseline

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// repository makes a repository with one commit of the files, and returns its
// folder and a function that writes a file.
func repository(t *testing.T, files map[string]string) (dir string, write func(name, text string)) {
	t.Helper()
	dir = t.TempDir()
	write = func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		write(name, text)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one"}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir, write
}

func TestSince(t *testing.T) {
	dir, write := repository(t, map[string]string{
		"shop/a.go": "1\n2\n3\n4\n5\n", "shop/ä b.go": "1\n2\n", "other.go": "1\n2\n", ".gitignore": "ignored.go\n",
	})
	write("shop/a.go", "1\n2\nnew\n3\n5\n") // line 3 is new, and line 4 of old is gone
	write("shop/ä b.go", "1\nnew\n")
	write("shop/untracked.go", "1\n")
	write("other.go", "new\n2\n")
	write("ignored.go", "1\n")
	c, err := Since(t.Context(), filepath.Join(dir, "shop"), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	at := func(file string, line int) report.Location { return report.Location{File: file, Line: line} }
	tests := []struct {
		finding report.Finding
		want    bool
	}{
		{report.Finding{Where: at("a.go", 3)}, true},
		{report.Finding{Where: at("a.go", 1)}, false},
		{report.Finding{Where: report.Location{File: "a.go", Line: 1, EndLine: 3}}, true},
		{report.Finding{Where: at("a.go", 1), Steps: []report.Step{{Where: at("a.go", 3)}}}, true},
		{report.Finding{Where: at("a.go", 1), Steps: []report.Step{{Where: at("a.go", 2)}}}, false},
		{report.Finding{Where: at("ä b.go", 2)}, true},
		{report.Finding{Where: at("ä b.go", 1)}, false},
		{report.Finding{Where: at("untracked.go", 99)}, true},
		{report.Finding{Where: at(filepath.Join(dir, "other.go"), 1)}, true},
		{report.Finding{Where: at(filepath.Join(dir, "other.go"), 2)}, false},
		{report.Finding{Where: at(filepath.Join(dir, "ignored.go"), 1)}, false},
		{report.Finding{}, true},
	}
	for _, tt := range tests {
		if got := c.Touch(tt.finding); got != tt.want {
			t.Errorf("%+v: new %v, want %v", tt.finding.Where, got, tt.want)
		}
	}
}

// Settings of a user change what git prints; they change nothing here.
func TestSinceWhateverIsConfigured(t *testing.T) {
	dir, write := repository(t, map[string]string{"a.go": "1\n2\n"})
	for _, args := range [][]string{{"diff.noprefix", "true"}, {"diff.mnemonicPrefix", "true"}, {"color.ui", "always"}, {"diff.external", "false"}, {"diff.context", "9"}} {
		cmd := exec.CommandContext(t.Context(), "git", "config", args[0], args[1])
		cmd.Dir = dir
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	}
	write("a.go", "1\nnew\n")
	c, err := Since(t.Context(), dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if !c.has(report.Location{File: "a.go", Line: 2}) || c.has(report.Location{File: "a.go", Line: 1}) {
		t.Errorf("changed are %v", c.lines)
	}
}

func TestSinceErrors(t *testing.T) {
	dir, _ := repository(t, map[string]string{"a.go": "1\n"})
	tests := []struct {
		dir, rev string
		code     int
		want     string
	}{
		{dir, "nosuch", exit.Usage, `--new-from-rev "nosuch" is no revision of this repository`},
		{dir, "--output=x", exit.Usage, `--new-from-rev "--output=x" is no revision`},
		{t.TempDir(), "HEAD", exit.Failed, "--new-from-rev needs a git repository"},
	}
	for _, tt := range tests {
		_, err := Since(t.Context(), tt.dir, tt.rev)
		if exit.Code(err) != tt.code || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want code %d, %q", tt.rev, err, tt.code, tt.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("a revision that looks like a flag was taken for one")
	}
}
