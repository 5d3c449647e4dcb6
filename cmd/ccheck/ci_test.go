//go:build ci

package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The tests of this file run ccheck in the ways in which CI systems do. They
// build it, or golangci-lint with it, which takes minutes on a cold machine.

// leaky is a package with one finding, at line 9.
const leaky = `package price

import "context"

func ask() int { return 1 }

func Price(ctx context.Context) (int, error) {
	answer := make(chan int)
	go func() { answer <- ask() }()
	select {
	case n := <-answer:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
`

// root is the folder of this repository.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// put writes files below dir.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// shop is a repository with the leaky package committed.
func shop(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, map[string]string{"go.mod": "module example.com/shop\n\ngo 1.24\n", "price/price.go": leaky})
	for _, args := range []string{"init -q", "add .", "-c user.name=a -c user.email=a@b commit -q -m one"} {
		if out, code := sh(t, dir, nil, "git", strings.Fields(args)...); code != 0 {
			t.Fatalf("git %s: %s", args, out)
		}
	}
	return dir
}

// sh runs a command in dir and returns what it said and its exit code.
func sh(t *testing.T, dir string, env []string, name string, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// action is what of action.yml is run here.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct{ Steps []step }
}

type step struct {
	ID, Uses, Run, Shell string
	Env                  map[string]string
}

func readAction(t *testing.T) action {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// variables are the env of a step with its expressions evaluated, as the runner
// does it.
func (a action) variables(t *testing.T, s step, given map[string]string) []string {
	expression := regexp.MustCompile(`\$\{\{ ([a-z._-]+) \}\}`)
	var env []string
	for name, value := range s.Env {
		env = append(env, name+"="+expression.ReplaceAllStringFunc(value, func(e string) string {
			key := expression.FindStringSubmatch(e)[1]
			if v, ok := given[key]; ok {
				return v
			}
			input, ok := a.Inputs[strings.TrimPrefix(key, "inputs.")]
			if !ok {
				t.Errorf("%s is no input and is not known here", key)
			}
			return input.Default
		}))
	}
	return env
}

// The steps of the action, run as the runner does: bash with -e and pipefail, and
// inputs as variables.
func TestCIAction(t *testing.T) {
	a, repo, temp := readAction(t), shop(t), t.TempDir()
	base, _ := sh(t, repo, nil, "git", "rev-parse", "HEAD")
	tests := []struct {
		name  string
		given map[string]string
		code  int
		want  string // pattern in what is printed
	}{
		{"as it comes", nil, 1, `(?m)^::warning file=price/price\.go,line=9,`},
		{"report only", map[string]string{"inputs.fail-on": "none"}, 0, `(?m)^::warning `},
		{"higher bar", map[string]string{"inputs.fail-on": "high"}, 0, `goroutineleak`},
		{"other rules", map[string]string{"inputs.args": "--rules wallclock --severity high"}, 0, `clean: nothing found`},
		{"only new", map[string]string{"inputs.only-new": "true", "github.event.pull_request.base.sha": strings.TrimSpace(base)}, 0, `nothing new found`},
		{"no pull request", map[string]string{"inputs.only-new": "true"}, 1, `goroutineleak`},
		{"an input that is a command", map[string]string{"inputs.packages": "$(touch owned) ;touch owned"}, 3, `ccheck: error`},
	}
	for _, tt := range tests {
		given := map[string]string{"github.action_path": root(t), "github.event.pull_request.base.sha": ""}
		for k, v := range tt.given {
			given[k] = v
		}
		output := filepath.Join(t.TempDir(), "output")
		var out string
		code := 0
		for _, s := range a.Runs.Steps {
			if s.Uses != "" {
				continue
			}
			env := append(a.variables(t, s, given), "RUNNER_TEMP="+temp, "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+output+".md", "XDG_CACHE_HOME="+temp)
			if out, code = sh(t, repo, env, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run); code != 0 {
				break
			}
		}
		if code != tt.code || !regexp.MustCompile(tt.want).MatchString(out) {
			t.Errorf("%s: exit code %d, want %d; want %q in\n%s", tt.name, code, tt.code, tt.want, out)
		}
		said, err := os.ReadFile(output)
		if err != nil || !strings.Contains(string(said), "sarif=./ccheck.sarif") {
			t.Errorf("%s: outputs %q, %v", tt.name, said, err)
		}
		if _, err := os.Stat(filepath.Join(repo, "owned")); err == nil {
			t.Errorf("%s: an input was run as a command", tt.name)
		}
	}
}

func TestCIGoTool(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		put(t, dir, map[string]string{name: string(text)})
	}
	edit := []string{"mod", "edit", "-module", "example.com/shop", "-require", "github.com/ccheck/ccheck@v0.0.0",
		"-replace", "github.com/ccheck/ccheck=" + root(t), "-tool", "github.com/ccheck/ccheck/cmd/ccheck"}
	if out, code := sh(t, dir, nil, "go", edit...); code != 0 {
		t.Fatal(out)
	}
	put(t, dir, map[string]string{"price/price.go": leaky})
	out, code := sh(t, dir, []string{"GOFLAGS=-mod=mod"}, "go", "tool", "ccheck", "vet", "./price")
	if code != 1 || !strings.Contains(out, "price/price.go:9:") {
		t.Errorf("exit code %d, want 1\n%s", code, out)
	}
}

// golangci-lint with the plugin, made as `golangci-lint custom` makes it: its
// sources with one more import.
func TestCIGolangciLint(t *testing.T) {
	const lint = "github.com/golangci/golangci-lint/v2@v2.15.0"
	out, code := sh(t, t.TempDir(), nil, "go", "mod", "download", "-json", lint)
	if code != 0 {
		t.Fatal(out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(out[strings.Index(out, "{"):]), &module); err != nil {
		t.Fatal(err)
	}
	source, custom := t.TempDir(), filepath.Join(t.TempDir(), "custom-gcl")
	clone(t, module.Dir, source)
	put(t, source, map[string]string{"cmd/golangci-lint/plugins.go": "package main\n\nimport _ \"github.com/ccheck/ccheck/analyzers/golangci\"\n"})
	for _, args := range [][]string{
		{"mod", "edit", "-require", "github.com/ccheck/ccheck@v0.0.0", "-replace", "github.com/ccheck/ccheck=" + root(t)},
		{"build", "-mod=mod", "-o", custom, "./cmd/golangci-lint"},
	} {
		if out, code := sh(t, source, nil, "go", args...); code != 0 {
			t.Fatal(out)
		}
	}
	config := func(rules string) string {
		return "version: \"2\"\nlinters:\n  default: none\n  enable: [ccheck]\n  settings:\n    custom:\n      ccheck:\n        type: module\n        settings: {rules: [" + rules + "]}\n"
	}
	repo := shop(t)
	for rules, want := range map[string]int{"": 1, "goroutineleak": 1, "-goroutineleak": 0, "nosuch": 3} {
		put(t, repo, map[string]string{".golangci.yml": config(rules)})
		out, code := sh(t, repo, []string{"GOLANGCI_LINT_CACHE=" + t.TempDir()}, custom, "run", "./...")
		if code != want || strings.Contains(out, "price/price.go:9:") != (want == 1) {
			t.Errorf("rules [%s]: exit code %d, want %d\n%s", rules, code, want, out)
		}
	}
}

// clone copies a folder of the module cache, which cannot be written.
func clone(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			put(t, to, map[string]string{rel: string(text)})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// pre-commit builds ccheck from the last commit of this repository.
func TestCIPreCommit(t *testing.T) {
	repo := shop(t)
	home := []string{"PRE_COMMIT_HOME=" + t.TempDir()}
	for hook, want := range map[string]int{"ccheck-vet": 1, "ccheck-vet-new": 0, "ccheck-config": 0} {
		out, code := sh(t, repo, home, "pre-commit", "try-repo", root(t), hook, "--all-files", "--verbose")
		if code != want || strings.Contains(out, "price/price.go:9:") != (want == 1) {
			t.Errorf("%s: exit code %d, want %d\n%s", hook, code, want, out)
		}
	}
}
