//go:build drivers

package wire_test

import (
	"cmp"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/history"
)

// The drivers and object mappers of Node, Prisma among them, unmodified, tell the same story
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
	generate := exec.CommandContext(t.Context(), "npx", "prisma", "generate", "--schema", "schema.prisma")
	generate.Dir = dir
	// The engine of migrations is a download of its own, and nothing here needs it.
	generate.Env = append(os.Environ(), "PRISMA_SCHEMA_ENGINE_BINARY=/bin/true", "CHECKPOINT_DISABLE=1")
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("prisma generate: %v\n%s", err, out)
	}
	scripts, err := filepath.Glob(filepath.Join(dir, "*.mjs"))
	must(t, err)
	if len(scripts) < 6 {
		t.Fatalf("found %d scripts", len(scripts))
	}
	for _, script := range scripts {
		for name, mode := range modes {
			t.Run(strings.TrimSuffix(filepath.Base(script), ".mjs")+"/"+name, func(t *testing.T) {
				b := start(t, mode)
				want := node(t, dir, script, start(t).behind())
				got := node(t, dir, script, b.dsn(""))
				b.same(name, want, got)
			})
		}
	}
}

// pgjdbc of Debian's package libpostgresql-jdbc-java, or that of CCHECK_PGJDBC,
// run from its source by a JDK.
func TestDriversOfJava(t *testing.T) {
	jar := cmp.Or(os.Getenv("CCHECK_PGJDBC"), "/usr/share/java/postgresql.jar")
	if _, err := os.Stat(jar); err != nil {
		t.Fatalf("%v: install Debian's packages libpostgresql-jdbc-java and default-jdk-headless, or set CCHECK_PGJDBC", err)
	}
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			b := start(t, mode)
			want := java(t, jar, start(t).behind())
			got := java(t, jar, b.dsn(""))
			b.same(name, want, got)
		})
	}
}

// same fails unless the program said the same both ways, and its statements are
// recorded.
func (b *bench) same(mode, want, got string) {
	b.t.Helper()
	if got != want || len(want) < 50 {
		b.t.Errorf("through the proxy:\n%s\ndirect:\n%s", got, want)
	}
	if mode == "plain" {
		return
	}
	statements := 0
	for _, o := range b.ops() {
		if o.Scope == history.ScopeQuery && o.Kind == history.OK {
			statements++
		}
	}
	if statements < 8 {
		b.t.Errorf("%d statements are recorded", statements)
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

func java(t *testing.T, jar, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	must(t, err)
	password, _ := u.User.Password()
	query := url.Values{"user": {u.User.Username()}, "password": {password}, "sslmode": {"disable"}}
	cmd := exec.CommandContext(t.Context(), "java", "-cp", jar, filepath.Join("testdata", "java", "Session.java"))
	cmd.Env = append(os.Environ(), "JDBC_URL=jdbc:postgresql://"+u.Host+u.Path+"?"+query.Encode())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("java: %v\n%s", err, out)
	}
	return string(out)
}
