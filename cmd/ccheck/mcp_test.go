package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// racy is a package with one finding, at line 9.
const racy = `package price

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

// assistant starts `ccheck mcp` in a folder with the racy package, as an
// assistant does, and speaks to it over its standard input and output.
func assistant(t *testing.T, args ...string) (*mcp.ClientSession, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/shop\n\ngo 1.24\n", "price.go": racy} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self) // it ends when its standard input does
	cmd.Args = append([]string{"ccheck", "mcp"}, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	// A database that the environment names must not be touched: this one cannot be.
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "XDG_STATE_HOME="+dir, "CCHECK_DSN=postgres://127.0.0.1:1/nobody")
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("ending the server: %v", err)
		}
	})
	return session, dir
}

// call calls a tool and returns its answer as text, and whether it is an error.
func call(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any) (text string, failed bool) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err.Error(), true
	}
	for _, c := range res.Content {
		if part, ok := c.(*mcp.TextContent); ok {
			text += part.Text
		}
	}
	return text, res.IsError
}

func TestMCPTools(t *testing.T) {
	s, _ := assistant(t)
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint || tool.Description == "" {
			t.Errorf("%s: annotations %+v, description %q", tool.Name, tool.Annotations, tool.Description)
		}
	}
	if slices.Sort(names); strings.Join(names, " ") != "explain explore show_finding vet" {
		t.Errorf("the tools are %v", names)
	}
}

func TestMCPVet(t *testing.T) {
	s, dir := assistant(t)
	if text, failed := call(t, s, "show_finding", map[string]any{"number": 1}); !failed || !strings.Contains(text, "call vet or explore first") {
		t.Errorf("before any run: %s", text)
	}
	text, failed := call(t, s, "vet", nil)
	var got struct {
		Verdict  string
		Findings []struct {
			Number      int
			Rule, Where string
			Fixes       []string
		}
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || failed {
		t.Fatalf("%v: %s", err, text)
	}
	if got.Verdict != "faulty" || len(got.Findings) != 1 || got.Findings[0].Rule != "goroutineleak" || !strings.HasPrefix(got.Findings[0].Where, "price.go:9:") {
		t.Errorf("vet answers %s", text)
	}
	if text, failed := call(t, s, "vet", map[string]any{"rules": []string{"wallclock"}}); failed || !strings.Contains(text, `"verdict":"clean"`) {
		t.Errorf("another rule: %s", text)
	}
	if text, failed := call(t, s, "vet", nil); failed || !strings.Contains(text, "goroutineleak") {
		t.Errorf("again: %s", text)
	}
	if text, failed := call(t, s, "show_finding", map[string]any{"number": 1}); failed || !strings.Contains(text, "goroutineleak") || !strings.Contains(text, "price.go:9") {
		t.Errorf("the finding: %s", text)
	}
	if text, failed := call(t, s, "show_finding", map[string]any{"number": 2}); !failed || !strings.Contains(text, "they go from 1 to 1") {
		t.Errorf("none: %s", text)
	}
	// What looks like a flag is a package, and edits nothing.
	for _, args := range []map[string]any{{"packages": []string{"--fix"}}, {"rules": []string{"wallclock", "--fix"}}, {"severity": "low --fix"}, {"new_from_rev": "--output=x"}} {
		if text, failed := call(t, s, "vet", args); !failed {
			t.Errorf("%v: %s", args, text)
		}
	}
	if now, err := os.ReadFile(filepath.Join(dir, "price.go")); err != nil || string(now) != racy {
		t.Errorf("the source was edited: %v", err)
	}
}

func TestMCPExplain(t *testing.T) {
	s, _ := assistant(t)
	if text, failed := call(t, s, "explain", map[string]any{"name": "40001"}); failed || !strings.Contains(text, "serializ") {
		t.Errorf("40001: %s", text)
	}
	if text, failed := call(t, s, "explain", map[string]any{"name": "nosuchthing"}); !failed || !strings.Contains(text, "nosuchthing") {
		t.Errorf("unknown: %s", text)
	}
}

// explore finds the planted race, passes its fixed twin, on a server of its own.
func TestMCPExplore(t *testing.T) {
	s, dir := assistant(t)
	wallet := map[string]any{"scenario": "wallet", "lanes": []string{"transfer", "transfer"}, "isolation": "rc"}
	// Without a variant the wallet runs as it is, and so do the fixes.
	text, failed := call(t, s, "explore", wallet)
	if failed || !strings.Contains(text, `"verdict":"faulty"`) || !strings.Contains(text, "lost update") {
		t.Fatalf("naive: %s", text)
	}
	if text, failed := call(t, s, "show_finding", map[string]any{"number": 1}); failed || !strings.Contains(text, "| T") {
		t.Errorf("the finding: %s", text)
	}
	wallet["variant"] = "atomic"
	if text, failed := call(t, s, "explore", wallet); failed || !strings.Contains(text, `"verdict":"clean"`) {
		t.Errorf("atomic: %s", text)
	}
	// Files may hold commands.
	for _, name := range []string{dir, ".", "--app=touch owned", ""} {
		if text, failed := call(t, s, "explore", map[string]any{"scenario": name}); !failed || !strings.Contains(text, "is no built-in scenario") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestMCPOwnScenarios(t *testing.T) {
	s, dir := assistant(t, "--allow-own-scenarios")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	export := exec.CommandContext(t.Context(), self)
	export.Args, export.Dir = []string{"ccheck", "scenario", "export", "wallet", "own"}, dir
	if out, err := export.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, failed := call(t, s, "explore", map[string]any{"scenario": "./own", "lanes": []string{"transfer", "transfer"}, "isolation": "rc", "variant": "atomic"})
	if failed || !strings.Contains(text, `"verdict":"clean"`) {
		t.Errorf("own: %s", text)
	}
}
