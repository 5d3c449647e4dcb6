package script_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// The tests of this file run the same scripts under the real pgbench and under
// this package, on the same server with the same seed, and compare what is in
// the tables and what debug() printed.

// pgbenchPath finds a pgbench of version 15 or later: CCHECK_PGBENCH, PATH, and
// where Debian has it. Earlier ones have other random numbers.
func pgbenchPath(t *testing.T) string {
	t.Helper()
	places := []string{os.Getenv("CCHECK_PGBENCH"), "pgbench"}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	for _, p := range append(places, found...) {
		if path, err := exec.LookPath(p); p != "" && err == nil {
			return path
		}
	}
	t.Skip("SKIPPED, NOTHING WAS COMPARED: no pgbench found; set CCHECK_PGBENCH to one of version 15 or later")
	return ""
}

// bench is one run, under either program.
type bench struct {
	scripts  map[string]int // text → weight
	order    []string       // texts in order
	vars     map[string]string
	protocol pg.Protocol
	seed     uint64
	times    int
	clients  int
	maxTries int
}

// both runs b under pgbench and under this package, each in its own database
// made by setup, and returns what they printed and the answer to query.
func (b bench) both(t *testing.T, setup, query string) (theirs, ours string) {
	t.Helper()
	for i, run := range []func(*testing.T, *pgconn.Config) string{b.pgbench, b.machine} {
		config := pgtest.Config(t)
		ask(t, config, setup)
		printed := run(t, config)
		if query != "" {
			printed += ask(t, config, query)
		}
		if i == 0 {
			theirs = printed
		} else {
			ours = printed
		}
	}
	return theirs, ours
}

func ask(t *testing.T, config *pgconn.Config, sql string) string {
	t.Helper()
	c, err := pg.Connect(t.Context(), config, nil, pg.Simple)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := c.Ask(sql)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, row := range r.Rows {
		fmt.Fprintln(&out, row)
	}
	return out.String()
}

func (b bench) pgbench(t *testing.T, config *pgconn.Config) string {
	t.Helper()
	args := []string{"-n", "-j", "1", "-c", fmt.Sprint(max(b.clients, 1)), "-t", fmt.Sprint(b.times),
		"-M", string(b.protocol), fmt.Sprintf("--random-seed=%d", b.seed),
		"-h", config.Host, "-p", fmt.Sprint(config.Port), "-U", config.User}
	if b.maxTries > 0 {
		args = append(args, fmt.Sprintf("--max-tries=%d", b.maxTries))
	}
	for name, v := range b.vars {
		args = append(args, "-D", name+"="+v)
	}
	dir := t.TempDir()
	for i, text := range b.order {
		file := filepath.Join(dir, fmt.Sprintf("%d.sql", i))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "-f", fmt.Sprintf("%s@%d", file, b.scripts[text]))
	}
	cmd := exec.CommandContext(t.Context(), pgbenchPath(t), append(args, config.Database)...)
	cmd.Env = append(os.Environ(), "PGPASSWORD="+config.Password)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Logf("pgbench: %v\n%s", err, stderr.String())
	}
	return debugLines(stderr.String())
}

func (b bench) machine(t *testing.T, config *pgconn.Config) string {
	t.Helper()
	var scripts []*script.Script
	var weights []int
	for i, text := range b.order {
		s, err := script.Parse("", fmt.Sprintf("%d.sql", i), text)
		if err != nil {
			t.Fatal(err)
		}
		s.Number = i
		scripts, weights = append(scripts, s), append(weights, b.scripts[text])
	}
	vars := map[string]history.Value{}
	for name, v := range b.vars {
		vars[name] = history.Text(v)
	}
	clients := max(b.clients, 1)
	chooser, err := script.NewChooser(script.ChooserState(b.seed, clients, 0, false), weights)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for client := range clients {
		c, err := pg.Connect(t.Context(), config, nil, b.protocol)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		m, err := script.NewMachine(script.Options{
			Client: client, Clients: clients, Seed: b.seed, Protocol: b.protocol, Vars: vars, Output: &out,
		})
		if err != nil {
			t.Fatal(err)
		}
		for range b.times {
			res := m.Run(t.Context(), scripts[chooser.Next()], &script.Env{DB: c}, max(b.maxTries, 1))
			if res.Err != nil {
				t.Logf("ours: %+v", res)
				break
			}
		}
	}
	return debugLines(out.String())
}

// debugLines keeps what debug() printed.
func debugLines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.HasPrefix(line, "debug(") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func one(text string) bench {
	return bench{scripts: map[string]int{text: 1}, order: []string{text}, protocol: pg.Simple, seed: 5432, times: 1}
}

func same(t *testing.T, theirs, ours string) {
	t.Helper()
	if theirs == "" {
		t.Error("pgbench printed nothing to compare with")
	}
	if diff := cmp.Diff(strings.Split(theirs, "\n"), strings.Split(ours, "\n")); diff != "" {
		t.Errorf("pgbench (-) and this package (+) differ:\n%s", diff)
	}
}

var _ = context.Background
var _ net.Conn

func TestRandomNumbersAreThoseOfPgbench(t *testing.T) {
	text := `
\set a debug(random(1, 10))
\set b debug(random(-1000000000000, 1000000000000))
\set c debug(random_gaussian(1, 1000000, 2.5))
\set d debug(random_exponential(1, 1000000, 3.5))
\set e debug(random_zipfian(1, 1000000, 1.1))
\set f debug(random_zipfian(1, 1000, 2.5))
\set g debug(hash(:a))
\set h debug(hash_fnv1a(:b, 7))
\set i debug(permute(:a, 1000))
\set j debug(permute(:a, 12345678901, :b))
\set k debug(:default_seed)
\set l debug(random(1, 100) > random(1, 100))
`
	for _, seed := range []uint64{0, 1, 42, 18446744073709551615} {
		b := one(text)
		b.seed, b.times = seed, 500
		theirs, ours := b.both(t, "", "")
		same(t, theirs, ours)
	}
}
