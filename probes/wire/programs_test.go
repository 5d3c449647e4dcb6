package wire_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/wire"
)

// program runs one of PostgreSQL's own programs, directly or through the proxy,
// and returns both outputs.
func (b *bench) program(name string, direct bool, args ...string) (stdout, stderr string, err error) {
	b.t.Helper()
	port := b.Addr().Port
	if direct {
		port = int(b.direct.Port)
	}
	cmd := exec.CommandContext(b.t.Context(), filepath.Join(pgtest.Start(b.t).Install().Bin, name), args...)
	cmd.Env = append(os.Environ(), "PGHOST=127.0.0.1", "PGPORT="+strconv.Itoa(port), "PGUSER="+b.direct.User,
		"PGPASSWORD="+b.direct.Password, "PGDATABASE="+b.direct.Database, "PGSSLMODE=disable", "PSQLRC=/dev/null")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// modes are the proxy's ways of carrying bytes: unseen, recorded on the engine,
// and held at a gate that lets everything through, which may say that it will.
var modes = map[string]func(*wire.Config){
	"plain":    func(c *wire.Config) { c.History = nil },
	"recorded": func(*wire.Config) {},
	"gated":    func(c *wire.Config) { c.Gate = &porter{} },
	"passing":  func(c *wire.Config) { c.Gate, c.Passing = &porter{}, true },
}

// run runs a program through the proxy, which must end well.
func (b *bench) run(name string, args ...string) string {
	b.t.Helper()
	out, errs, err := b.program(name, false, args...)
	if err != nil {
		b.t.Fatal(name, err, errs)
	}
	return out
}

// variable is what differs between two runs of the same script.
var variable = regexp.MustCompile(`process \d+|PID \d+`)

// psql says the same through the proxy as without it: results, errors, notices,
// notifications, COPY both ways, many commands in one query, cursors.
func TestPsqlSeesNoDifference(t *testing.T) {
	script := filepath.Join("testdata", "session.sql")
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			b := start(t, mode)
			wantOut, wantErr, err := b.program("psql", true, "-X", "-a", "-f", script)
			must(t, err)
			out, errs, err := b.program("psql", false, "-X", "-a", "-f", script)
			must(t, err)
			hide := func(s string) string { return variable.ReplaceAllString(s, "process N") }
			if diff := cmp.Diff(hide(wantOut), hide(out)); diff != "" {
				t.Errorf("output: %s", diff)
			}
			if diff := cmp.Diff(hide(wantErr), hide(errs)); diff != "" {
				t.Errorf("errors: %s", diff)
			}
			if len(wantOut) < 2000 || !strings.Contains(wantErr, "ERROR") {
				t.Errorf("the script did not run: %s%s", wantOut, wantErr)
			}
		})
	}
}

// restrict is the word that pg_dump makes up each time to guard psql with.
var restrict = regexp.MustCompile(`(?m)^\\(un)?restrict .*$`)

// dump is what pg_dump writes.
func (b *bench) dump(direct bool) string {
	b.t.Helper()
	out, errs, err := b.program("pg_dump", direct)
	if err != nil || len(out) < 1<<20 {
		b.t.Fatalf("%d bytes, %v %s", len(out), err, errs)
	}
	return restrict.ReplaceAllString(out, "")
}

func TestPgDumpIsTheSame(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			b := start(t, mode)
			b.run("pgbench", "-i", "-q")
			want := b.dump(true)
			if got := b.dump(false); got != want {
				t.Errorf("%d bytes in place of %d", len(got), len(want))
			}
			// And back in, through the proxy.
			file := filepath.Join(t.TempDir(), "dump.sql")
			must(t, os.WriteFile(file, []byte(want), 0o600))
			b.run("psql", "-X", "-q", "-c", "drop table pgbench_accounts, pgbench_branches, pgbench_tellers, pgbench_history")
			b.run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", file)
			if got := b.dump(true); got != want {
				t.Errorf("restored through the proxy: %d bytes in place of %d", len(got), len(want))
			}
		})
	}
}

// Money is neither made nor lost on the way, in each of pgbench's protocols, and
// the history has every transaction.
func TestPgbenchInEveryMode(t *testing.T) {
	for _, protocol := range []string{"simple", "extended", "prepared"} {
		for name, mode := range modes {
			t.Run(protocol+"/"+name, func(t *testing.T) {
				b := start(t, mode)
				b.run("pgbench", "-i", "-q")
				out := b.run("pgbench", "-n", "-M", protocol, "-c", "8", "-j", "2", "-t", "20", "--max-tries", "1")
				if !strings.Contains(out, "processed: 160/160") {
					t.Fatal(out)
				}
				sums, _, err := b.program("psql", true, "-X", "-At", "-c", `select count(*) from pgbench_history
					union all select (select sum(abalance) from pgbench_accounts) - (select sum(delta) from pgbench_history)`)
				must(t, err)
				if sums != "160\n0\n" {
					t.Errorf("the database has %q", sums)
				}
				if name != "plain" {
					committed(t, b, 160)
				}
			})
		}
	}
}

// committed checks that the history holds whole transactions: seven statements
// each, with one number, that end with COMMIT.
func committed(t *testing.T, b *bench, want int) {
	t.Helper()
	statements, commits := map[int64]int{}, 0
	different := map[int]bool{}
	for _, o := range b.ops() {
		if o.Scope != history.ScopeQuery || o.Process < 0 || o.Txn == 0 {
			continue
		}
		if o.Kind == history.Invoke {
			statements[o.Txn]++
			different[o.Stmt.ID] = true
			continue
		}
		if o.Tag == "COMMIT" && o.Kind == history.OK && statements[o.Txn] == 7 && o.Ended() {
			commits++
		}
	}
	if commits != want {
		t.Errorf("the history holds %d whole transactions, want %d", commits, want)
	}
	// pgbench in simple mode writes the values into the text: they are taken out.
	if len(different) > 60 {
		t.Errorf("%d different statements", len(different))
	}
}

// A base backup is a replication connection: bytes and nothing else.
func TestReplicationPasses(t *testing.T) {
	b := start(t, gated(&porter{}))
	dir := filepath.Join(t.TempDir(), "backup")
	b.run("pg_basebackup", "-D", dir, "-X", "stream", "-c", "fast")
	if _, err := os.Stat(filepath.Join(dir, "PG_VERSION")); err != nil {
		t.Error(err)
	}
}
