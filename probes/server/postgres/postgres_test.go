//go:build linux || darwin

package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/internal/system"
)

// patience bounds every wait of the tests; none of them measures time.
const patience = time.Minute

func TestMain(m *testing.M) {
	if what := os.Getenv(helperVar); what != "" {
		os.Exit(help(what))
	}
	os.Exit(m.Run())
}

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// testDir returns a directory that every user can pass, which t.TempDir is not.
func testDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(MemoryDir(), "ccheck-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func startTest(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Dir == "" {
		o.Dir = MemoryDir()
	}
	s, err := Start(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Errorf("stopping %s: %v", s, err)
		}
	})
	return s
}

// ask returns the first column of the first row.
func ask(t testing.TB, config *pgconn.Config, sql string) string {
	t.Helper()
	answer, err := query(testContext(t), config, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}

func query(ctx context.Context, config *pgconn.Config, sql string) (string, error) {
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return "", err
	}
	defer closeQuietly(conn)
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil || len(results) == 0 || len(results[0].Rows) == 0 {
		return "", err
	}
	return string(results[0].Rows[0][0]), nil
}

// until polls until a condition holds.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx := testContext(t)
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("still not so after %v: %s", patience, what)
		case <-time.After(pollEvery):
		}
	}
}

func gone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// dead says whether a process has ended; one that nobody has reaped yet has no
// arguments any more.
func dead(pid int) bool { return system.Arguments(pid) == "" }

func TestStopLeavesNothing(t *testing.T) {
	dir := testDir(t)
	s, err := Start(testContext(t), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t, s.Config(), "SELECT current_database() || ' ' || current_user"); got != "ccheck ccheck" {
		t.Errorf("connected to %q, want database ccheck as ccheck", got)
	}
	if version := ask(t, s.Config(), "SHOW server_version"); !strings.HasPrefix(version, s.Version()) {
		t.Errorf("Version() = %s, the server says %s", s.Version(), version)
	}
	pid, guard := s.PID(), s.home.guard.PID()
	if err := s.Stop(testContext(t)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []int{pid, guard} {
		if !dead(p) {
			t.Errorf("process %d is left: %s", p, system.Arguments(p))
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in %s: %v (%v)", dir, left, err)
	}
	if err := s.Stop(testContext(t)); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	if s.PID() != 0 {
		t.Errorf("PID() = %d after Stop", s.PID())
	}
}

func TestServersAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	servers := make([]*Server, 2)
	for i := range servers {
		wg.Go(func() {
			s, err := Start(testContext(t), Options{Dir: MemoryDir()})
			if err != nil {
				t.Error(err)
				return
			}
			servers[i] = s
		})
	}
	wg.Wait()
	for i, s := range servers {
		if s == nil {
			continue
		}
		if other := servers[1-i]; other != nil && other.Address() == s.Address() {
			t.Errorf("both at %s", s.Address())
		}
		if err := exec(testContext(t), s.Config(), "CREATE TABLE mine (id int)"); err != nil {
			t.Error(err)
		}
	}
	for _, s := range servers {
		if s != nil {
			if err := s.Stop(testContext(t)); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestOnlyThePasswordOpens(t *testing.T) {
	s := startTest(t, Options{})
	socket := s.Config()
	socket.Host = s.Socket()
	if err := ping(testContext(t), socket); err != nil {
		t.Errorf("over the socket with the password: %v", err)
	}
	for name, host := range map[string]string{"tcp": s.Config().Host, "socket": s.Socket()} {
		for _, password := range []string{"", "wrong"} {
			config := s.Config()
			config.Host, config.Password = host, password
			err := ping(testContext(t), config)
			var refused *pgconn.PgError
			if password != "" && (!errors.As(err, &refused) || refused.Code != "28P01") {
				t.Errorf("%s with password %q: %v, want SQLSTATE 28P01", name, password, err)
			}
			if err == nil {
				t.Errorf("%s with password %q: let in", name, password)
			}
		}
	}
	if info, err := os.Stat(s.Dir()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode of %s: %v (%v), want 0700", s.Dir(), info.Mode(), err)
	}
	if got := ask(t, s.Config(), "SHOW listen_addresses"); got != "127.0.0.1" {
		t.Errorf("listens on %s", got)
	}
}

// TestPasswordStaysSecret looks where other users of the machine, or readers
// of a report, could look.
func TestPasswordStaysSecret(t *testing.T) {
	bin, record := recordingInstall(t)
	var said strings.Builder
	s := startTest(t, Options{Install: &bin, Say: func(x string) { said.WriteString(x + "\n") }})
	replica, err := s.AddReplica(testContext(t), ReplicaOptions{})
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]string{
		"String": fmt.Sprintf("%v %+v %s", s, s, s), "Address": s.Address(), "Say": said.String(),
		"arguments and environment of initdb": read(t, record),
		"log":                                 read(t, filepath.Join(s.Dir(), "log")),
		"log of the replica":                  read(t, filepath.Join(replica.Dir(), "log")),
	}
	for _, pid := range family(t, s, replica) {
		places[fmt.Sprintf("arguments of %d", pid)] = system.Arguments(pid)
		if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err == nil {
			places[fmt.Sprintf("environment of %d", pid)] = string(env)
		}
	}
	for where, text := range places {
		if strings.Contains(text, s.Config().Password) {
			t.Errorf("the password stands in: %s", where)
		}
	}
	if !strings.Contains(places["arguments and environment of initdb"], "--pwfile=") {
		t.Errorf("initdb was not recorded: %q", places["arguments and environment of initdb"])
	}
	for _, file := range []string{"pw-*", "data/postgresql.auto.conf"} {
		for _, path := range glob(t, filepath.Join(s.Dir(), file)) {
			if strings.Contains(read(t, path), s.Config().Password) {
				t.Errorf("the password stands in %s", path)
			}
		}
	}
}

// recordingInstall returns an install whose initdb writes down what it is
// given before it does its work.
func recordingInstall(t *testing.T) (Install, string) {
	t.Helper()
	found, err := Find(testContext(t))
	if err != nil || len(found) == 0 {
		t.Fatalf("no PostgreSQL for the test: %v", err)
	}
	dir, out := testDir(t), testDir(t)
	if err := os.Chmod(out, 0o777); err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(out, "record")
	write(t, filepath.Join(dir, "initdb"), "#!/bin/sh\n{ echo \"$@\"; env; } >"+record+"\nexec "+filepath.Join(found[0].Bin, "initdb")+" \"$@\"\n")
	if err := os.Symlink(filepath.Join(found[0].Bin, "postgres"), filepath.Join(dir, "postgres")); err != nil {
		t.Fatal(err)
	}
	in := found[0]
	in.Bin = dir
	return in, record
}

// family returns the processes of servers: postmaster, guard, and the backends.
func family(t *testing.T, servers ...*Server) []int {
	t.Helper()
	pids := []int{os.Getpid()}
	for _, s := range servers {
		pids = append(pids, s.PID(), s.home.guard.PID())
		var n int
		for _, field := range strings.Fields(ask(t, s.Config(), "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity")) {
			if _, err := fmt.Sscan(field, &n); err != nil {
				t.Fatal(err)
			}
			pids = append(pids, n)
		}
	}
	return pids
}

func TestSettings(t *testing.T) {
	tricky := `it's a "tricky" \ value`
	s := startTest(t, Options{MaxConnections: 42, Settings: map[string]string{"deadlock_timeout": "123ms", "cluster_name": tricky}})
	for name, want := range map[string]string{
		"max_connections": "42", "deadlock_timeout": "123ms", "cluster_name": tricky, "fsync": "off",
		"synchronous_commit": "off", "full_page_writes": "off", "wal_level": "replica", "server_encoding": "UTF8",
	} {
		if got := ask(t, s.Config(), "SHOW "+name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestDurable(t *testing.T) {
	s := startTest(t, Options{Durable: true})
	for _, name := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		if got := ask(t, s.Config(), "SHOW "+name); got != "on" {
			t.Errorf("%s = %s", name, got)
		}
	}
}

func TestRunsUnprivileged(t *testing.T) {
	s := startTest(t, Options{})
	info, err := os.Stat(filepath.Join(s.Dir(), "data", "PG_VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	if uid := info.Sys().(*syscall.Stat_t).Uid; uid == 0 {
		t.Error("the server runs as root")
	}
	out, err := osexec.Command("ps", "-o", "uid=", "-p", fmt.Sprint(s.PID())).Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(bytes.TrimSpace(out)) == "0" {
		t.Error("the postmaster runs as root")
	}
}

func TestEnvironmentHasNoSay(t *testing.T) {
	for name, value := range map[string]string{
		"PGHOST": "db.example", "PGPORT": "1", "PGUSER": "somebody", "PGDATABASE": "prod", "PGPASSWORD": "theirs",
		"PGOPTIONS": "-c statement_timeout=1", "PGAPPNAME": "theirs", "PGTARGETSESSIONATTRS": "read-only", "PGDATA": "/nowhere",
	} {
		t.Setenv(name, value)
	}
	s := startTest(t, Options{})
	if got := ask(t, s.Config(), "SELECT current_setting('statement_timeout') || current_setting('application_name')"); got != "0" {
		t.Errorf("the environment reached the session: %q", got)
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s, err := Start(context.Background(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Stop(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// write writes an executable file.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
