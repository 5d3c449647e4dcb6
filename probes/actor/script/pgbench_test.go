package script_test

import (
	"bytes"
	"fmt"
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

func pgbenchVersion(t *testing.T) int {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), pgbenchPath(t), "--version").Output()
	var version int
	if _, scanErr := fmt.Sscanf(string(out), "pgbench (PostgreSQL) %d", &version); err != nil || scanErr != nil {
		t.Fatalf("reading the version of pgbench: %v, %v", err, scanErr)
	}
	return version
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

// both runs b under pgbench and under this package, each in a schema made anew
// by setup, and returns what they printed and the answer to query.
func (b bench) both(t *testing.T, config *pgconn.Config, setup, query string) (theirs, ours string) {
	t.Helper()
	for i, run := range []func(*testing.T, *pgconn.Config) string{b.pgbench, b.machine} {
		ask(t, config, "drop schema if exists public cascade; create schema public;"+setup)
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
	stderr, err := b.runPgbench(t, config)
	if err != nil {
		t.Logf("pgbench: %v\n%s", err, stderr)
	}
	return debugLines(stderr)
}

// runPgbench returns what pgbench writes to its standard error.
func (b bench) runPgbench(t *testing.T, config *pgconn.Config) (string, error) {
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
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	return stderr.String(), err
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
	config := pgtest.Config(t)
	for _, seed := range []uint64{0, 1, 42, 18446744073709551615} {
		b := one(text)
		b.seed, b.times = seed, 500
		theirs, ours := b.both(t, config, "", "")
		same(t, theirs, ours)
	}
}

func TestExpressionsAreThoseOfPgbench(t *testing.T) {
	var text strings.Builder
	for _, e := range expressions {
		fmt.Fprintf(&text, "\\set x debug(%s)\n", e)
	}
	b := one(text.String())
	b.vars = map[string]string{
		"n": "null", "t": "t", "f": "of", "y": "YES", "i": " +3", "d": "1.0", "e": "-1e3", "inf": "inf", "hex": "0x1F",
		"minint": "-9223372036854775808", "maxint": "9223372036854775807",
	}
	theirs, ours := b.both(t, pgtest.Config(t), "", "")
	if last := fmt.Sprintf("command=%d)", len(expressions)); !strings.Contains(theirs, last) {
		t.Fatalf("pgbench did not come to the last expression:\n%s", theirs)
	}
	same(t, theirs, ours)
}

// expressions are valid ones, of every operator and function.
var expressions = strings.Split(strings.TrimSpace(`
1 + 2 * 3 - 4 / 3 % 5
- 2 - -3
+ - + 4
~ 1 + 2
~ 1 & 3
- ~ 1 + 2 * 3
not 1 = 2
not true or true
not 2 = 3 is null
1 | 6 # 3 & 5
1 << 2 + 1
-1 >> 1
1 << 65
1 << -1
7 / -2
-7 / 2
-7 % 3
7 % -3
7.5 % 3
mod(-17, 5)
5 % -1
:minint % -1
3 / 2.0
1 / 2
1.0 / 0
-1.0 / 0
0.1 + 0.2
1e15
1e16
123456789012345678.0
100000.0
1000000.0
.5e-4
1.e3
0.00001
-0.0
0 - 0.0
9223372036854775807
-9223372036854775808
:minint
1 < 2
1 <= 1.0
2 > 1
2 >= 2.5
1 = 1.0
1 <> 2
1 != 1
true and false
true and null
null and true
null and false
false and null
false or null
true or null
null or true
null + 1
null = null
null is null
null isnull
1 notnull
1 is not null
true is true
true is not true
1 is true
null is false
not null is null
1 = 2 is null
not 1 isnull and true
1 isnull isnull
2 * 3 isnull
case when true then 1 end
case when false then 1 end
case when null then 1 else 2 end
case when 0 then 1 when 0.5 then 2.5 else 3 end
CASE WHEN 1 > 2 THEN 1/0 ELSE 4 END
false and 1/0 = 1
true or 1/0 = 1
abs(-4)
abs(-4.5)
abs(:minint)
double(3)
double(:maxint)
int(2.5)
int(3.5)
int(-2.5)
int(-0.4)
exp(1)
exp(-1000)
exp(1000)
ln(10)
ln(0)
ln(-1)
sqrt(-1)
0.0/0
least(1.0, 0.0/0)
least(0.0/0, 1.0)
greatest(1.0, 0.0/0)
greatest(0.0/0, 1.0)
ln(1.0000001)
sqrt(2)
pi()
pi() * 1e10
pow(2, 10)
pow(2.5, 3)
power(-2, 3)
power(-5.0, -5.0)
pow(0, 0)
pow(0, -1)
pow(:maxint, 2)
pow(10, 30)
pow(2, 0.5)
pow(1.0000000001, 1e10)
least(3, 1, 2)
least(3, 1.5, 2)
greatest(1)
greatest(1, null)
greatest(1, 2.0, -3)
greatest(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16)
least(, 5)
hash(10, 5432)
hash(10)
hash_fnv1a(10, 5432)
hash_murmur2(-1, 0)
hash(1.7, 2.2)
hash(null)
permute(0, 1)
permute(5, 10, 1)
permute(-5, 10, 1)
permute(123456, 1000000, 77)
permute(:maxint, :maxint, 3)
permute(3, 2)
:n
:n is null
:t and not :f
:y
:i + 1
:d
:e
:inf
:hex
:scale
:client_id
:random_seed
:default_seed
debug(1) + debug(2)
random(1, 6) + 10 * random(1, 6)
random(1, 6) > random(1, 6)
random(1, 1000) < random(1, 1000)
random(5, 5)
random_gaussian(1, 100, 2.0)
random_exponential(1, 100, 0.0001)
random_exponential(1, 100, 30)
random_zipfian(1, 100, 1.001)
random_zipfian(1, 100, 1000)
random_zipfian(7, 7, 1.5)
random(null, 2)
RANDOM(1, 10)
`), "\n")

// TestErrorsAreThoseOfPgbench runs scripts that end with an error. The words are
// pgbench's; where and what to do about it may be said besides.
func TestErrorsAreThoseOfPgbench(t *testing.T) {
	config := pgtest.Config(t)
	for _, c := range runErrors {
		t.Run(c.text, func(t *testing.T) {
			b := one(c.text + "\n")
			b.protocol = pg.Prepared
			b.vars = map[string]string{"foo": "bla", "huge": "99999999999999999999", "sign": "+", "minint": "-9223372036854775808"}
			stderr, err := b.runPgbench(t, config)
			if err == nil || !strings.Contains(stderr, c.words) {
				t.Errorf("pgbench did not say %q: %v\n%s", c.words, err, stderr)
			}
			if got := b.failure(t, config); !strings.Contains(got, c.words) {
				t.Errorf("got %q, want the words %q", got, c.words)
			}
		})
	}
}

// failure runs b's script once and returns the error, of the parser or the run.
func (b bench) failure(t *testing.T, config *pgconn.Config) string {
	t.Helper()
	s, err := script.Parse("", "0.sql", b.order[0])
	if err != nil {
		return err.Error()
	}
	c, err := pg.Connect(t.Context(), config, nil, b.protocol)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	vars := map[string]history.Value{}
	for name, v := range b.vars {
		vars[name] = history.Text(v)
	}
	m, err := script.NewMachine(script.Options{Seed: b.seed, Protocol: b.protocol, Vars: vars})
	if err != nil {
		t.Fatal(err)
	}
	res := m.Run(t.Context(), s, &script.Env{DB: c}, 1)
	if res.Outcome != history.Failed || res.Err == nil {
		t.Fatalf("got %+v, want an error", res)
	}
	if c.Status() != 'I' {
		t.Errorf("a transaction was left open")
	}
	return res.Err.Error()
}

const tables = `
create table t (id serial primary key, who int, a text, b text, c text);
create table account (id int primary key, balance int not null);
insert into account select i, 1000 from generate_series(1, 20) i;
create sequence tries;
`

const contents = `
select who, a, b, c from t order by id;
`

// TestScriptsLeaveTheSameTables runs whole scripts and compares what they leave.
func TestScriptsLeaveTheSameTables(t *testing.T) {
	files, err := filepath.Glob("testdata/pgbench/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts in testdata/pgbench")
	}
	config := pgtest.Config(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, protocol := range []pg.Protocol{pg.Simple, pg.Extended, pg.Prepared} {
			first, _, _ := strings.Cut(string(text), "\n")
			if strings.Contains(first, "protocols:") && !strings.Contains(first, string(protocol)) {
				continue // the script says on its first line what can run it
			}
			t.Run(filepath.Base(file)+"/"+string(protocol), func(t *testing.T) {
				if strings.Contains(first, "from 17") && pgbenchVersion(t) < 17 {
					t.Skipf("SKIPPED, NOTHING WAS COMPARED: %s needs a pgbench of version 17", file)
				}
				b := one(string(text))
				b.protocol, b.times, b.maxTries = protocol, 20, 5
				b.vars = map[string]string{"given": "it's", "count": "0"}
				theirs, ours := b.both(t, config, tables, contents)
				same(t, theirs, ours)
			})
		}
	}
}

// TestClientsHaveTheirOwnNumbers runs several clients. They are not at work at
// the same time here and are under pgbench, so only what each of them did is
// compared.
func TestClientsHaveTheirOwnNumbers(t *testing.T) {
	b := one(`
\set a random(1, 1000000)
\set b hash(:a)
insert into t (who, a, b, c) values (:client_id, :a, :b, :default_seed);
`)
	b.clients, b.times = 4, 25
	theirs, ours := b.both(t, pgtest.Config(t), tables, "select who, string_agg(concat_ws(' ', a, b, c), ',' order by id) from t group by who order by who")
	same(t, theirs, ours)
}

func TestScriptsAreChosenAsByPgbench(t *testing.T) {
	b := bench{scripts: map[string]int{}, protocol: pg.Simple, seed: 99, times: 300}
	for i, weight := range []int{5, 0, 2, 10} {
		text := fmt.Sprintf("\\set a debug(%d + 0 * random(1, 10))", i)
		b.scripts[text] = weight
		b.order = append(b.order, text)
	}
	theirs, ours := b.both(t, pgtest.Config(t), "", "")
	same(t, theirs, ours)
}
