//go:build drivers

package wire_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/history"
)

// The drivers and object mappers of Node, unmodified, tell the same story
// through the proxy as on the server itself. They come from npm, so the test
// needs the network and has a build tag: make test-drivers.
func TestDrivers(t *testing.T) {
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "node"))))
	install := exec.CommandContext(t.Context(), "npm", "install", "--no-audit", "--no-fund")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	scripts, err := filepath.Glob(filepath.Join(dir, "*.mjs"))
	must(t, err)
	if len(scripts) < 5 {
		t.Fatalf("found %d scripts", len(scripts))
	}
	for _, script := range scripts {
		for name, mode := range modes {
			t.Run(strings.TrimSuffix(filepath.Base(script), ".mjs")+"/"+name, func(t *testing.T) {
				b := start(t, mode)
				want := node(t, dir, script, start(t).behind())
				got := node(t, dir, script, b.dsn(""))
				if got != want || len(want) < 50 {
					t.Errorf("through the proxy:\n%s\ndirect:\n%s", got, want)
				}
				if name == "plain" {
					return
				}
				statements := 0
				for _, o := range b.ops() {
					if o.Scope == history.ScopeQuery && o.Kind == history.OK {
						statements++
					}
				}
				if statements < 8 {
					t.Errorf("%d statements are recorded", statements)
				}
			})
		}
	}
}

// behind is the database behind the proxy.
func (b *bench) behind() string {
	return strings.Replace(b.dsn(""), b.Addr().String(), b.direct.Host+":"+strconv.Itoa(int(b.direct.Port)), 1)
}

func node(t *testing.T, dir, script, dsn string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "DATABASE_URL="+dsn)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("node %s: %v\n%s", filepath.Base(script), err, out)
	}
	return string(out)
}
