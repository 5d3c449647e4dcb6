package stress_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/cli/explore"
	"github.com/ccheck/ccheck/cmd/internal/cli/stress"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// The shop is the application of the tests of explore: one bug for each value of
// BUG, and its fix with FIXED=1.
func shop(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "shop")
	if out, err := exec.Command("go", "build", "-o", bin, "../explore/testdata/shop").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// outcome is the part of the json format that is looked at.
type outcome struct {
	Findings []report.Finding `json:"findings"`
	Summary  report.Summary   `json:"summary"`
	log      string
}

func (o outcome) String() string {
	text := fmt.Sprintf("%s %v\n", o.Summary.Verdict, o.Summary.Reasons)
	for _, f := range o.Findings {
		text += fmt.Sprintf("%s: %s\n", f.Rule, f.Message)
	}
	return text + o.log
}

// sent runs the command in a home of its own.
func sent(t *testing.T, args ...string) outcome {
	t.Helper()
	return ran(t, func(s *stdio.Streams) *cobra.Command { return stress.New(s, nil) }, args...)
}

func ran(t *testing.T, command func(*stdio.Streams) *cobra.Command, args ...string) outcome {
	t.Helper()
	home := t.TempDir()
	s, out := stdio.Test()
	s.Env = func(name string) string { return map[string]string{"XDG_STATE_HOME": home}[name] }
	err := clitest.Run(t, command(s), append(args, "--format", "json")...)
	var got outcome
	if jsonErr := json.Unmarshal(out.Out.Bytes(), &got); jsonErr != nil {
		t.Fatalf("%v, %+v: %s%s", err, clitest.Of(err), out.Out.String(), out.Err.String())
	}
	got.log = out.Err.String()
	if want := map[report.Verdict]int{report.Clean: exit.Clean, report.Faulty: exit.Findings, report.Unknown: exit.Unknown}[got.Summary.Verdict]; err != nil && clitest.Of(err).Code != want || err == nil && want != 0 {
		t.Errorf("verdict %s, and %v", got.Summary.Verdict, err)
	}
	return got
}

// rounds are more than the judges ask for before they say that a run is clean.
const rounds = "80"

// TestShop sends the requests of every bug of the shop at once, and those of its
// fix.
func TestShop(t *testing.T) {
	bin := shop(t)
	seed := filepath.Join(t.TempDir(), "seed.sql")
	if err := os.WriteFile(seed, []byte("INSERT INTO item VALUES (1, 2, 5)"), 0o600); err != nil {
		t.Fatal(err)
	}
	pay := []string{"--stub", "provider=json:ref", "--env", "PAY_URL={{stub provider}}"}
	tests := []struct {
		bug, rule, text string
		args            []string
		fixed           report.Verdict
	}{
		{"lost", "serial", "were accepted, and of as many one after the other at most 1", nil, report.Clean},
		{"auto", "serial", "were accepted, and of as many one after the other at most 1", nil, report.Clean},
		{"both", "serial", "were accepted, and of as many one after the other at most 1", []string{"--db-delay", "0-2ms"}, report.Clean},
		{"pay", "serial", "leave calls of provider (key k1, calls", pay, report.Clean},
		{"retry", "retry", "ended with 40001 (serialization failure), and nobody started over", nil, report.Clean},
	}
	for _, tt := range tests {
		for _, fixed := range []string{"0", "1"} {
			t.Run(tt.bug+"-fixed-"+fixed, func(t *testing.T) {
				url := fmt.Sprintf("curl -X POST http://127.0.0.1:%d/buy -H 'Idempotency-Key: k1'", clitest.FreePort(t))
				args := []string{"--app", bin, "--seed-sql", seed, "--env", "BUG=" + tt.bug, "--env", "POOL=8", "--env", "FIXED=" + fixed, "--curl", "buy=" + url, "--clients", "8", "-t", rounds}
				got := sent(t, append(args, tt.args...)...)
				if fixed == "1" {
					if got.Summary.Verdict != tt.fixed || len(got.Findings) > 0 {
						t.Errorf("the fix: %s", got)
					}
					return
				}
				if got.Summary.Verdict != report.Faulty || got.Findings[0].Rule != tt.rule || !strings.Contains(got.Findings[0].Message, tt.text) {
					t.Errorf("the bug: %s", got)
				}
				if c := got.Findings[0].Repro.Command; !strings.HasPrefix(c, "ccheck stress --app "+bin) {
					t.Errorf("to see it again: %s", c)
				}
			})
		}
	}
}

// The values of what --mask names are not told, in no form of a finding; without it
// they are.
func TestMask(t *testing.T) {
	bin := shop(t)
	seed := filepath.Join(t.TempDir(), "seed.sql")
	if err := os.WriteFile(seed, []byte("INSERT INTO item VALUES (1, 73414, 5)"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, masked := range []bool{false, true} {
		args := []string{"--app", bin, "--seed-sql", seed, "--env", "BUG=lost", "--env", "POOL=8", "--clients", "4", "-t", "20",
			"--curl", fmt.Sprintf(`curl http://127.0.0.1:%d/buy -d '{"iban": "DE73410"}'`, clitest.FreePort(t))}
		if masked {
			args = append(args, "--mask", "item.stock,iban")
		}
		got := sent(t, args...)
		text, err := json.Marshal(got)
		if err != nil || got.Summary.Verdict != report.Faulty {
			t.Fatalf("%v, %s", err, got)
		}
		if told := strings.Contains(string(text)+got.log, "7341"); told == masked {
			t.Errorf("masked %v, told %v: %s", masked, told, text)
		}
	}
}

// What a timer writes is no outcome of the requests, and one that writes to what
// they use leaves no verdict.
func TestTimers(t *testing.T) {
	bin := shop(t)
	seed := filepath.Join(t.TempDir(), "seed.sql")
	if err := os.WriteFile(seed, []byte("INSERT INTO item VALUES (1, 2, 5)"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		every, work string
		want        report.Verdict
	}{
		{"30ms", "INSERT INTO tick VALUES (1)", report.Clean},
		{"400ms", "BEGIN|INSERT INTO tick VALUES (1)|COMMIT", report.Clean},
		{"1ms", "UPDATE item SET price = price + 1", report.Unknown},
	} {
		got := sent(t, "--app", bin, "--seed-sql", seed, "--env", "BUG=lost", "--env", "POOL=8", "--env", "FIXED=1", "--env", "EVERY="+tt.every, "--env", "WORK="+tt.work,
			"--curl", fmt.Sprintf("curl -X POST http://127.0.0.1:%d/buy", clitest.FreePort(t)), "--clients", "8", "-t", rounds)
		if got.Summary.Verdict != tt.want || len(got.Findings) > 0 {
			t.Errorf("every %s %s: %s", tt.every, tt.work, got)
		}
	}
}

// scenarioOf writes a scenario of the shop.
func scenarioOf(t *testing.T, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ccheck.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestScenarioOfApp judges a scenario's own invariant, with the counts of the
// answers, and sends as many requests as it says.
func TestScenarioOfApp(t *testing.T) {
	bin := shop(t)
	for _, fixed := range []string{"0", "1"} {
		dir := scenarioOf(t, fmt.Sprintf(`version: 1
app:
  command: %s
  port: %d
  env: {BUG: lost, POOL: 6, FIXED: %s}
  seed: {sql: "INSERT INTO item VALUES (1, 2, 5)"}
load: {lanes: {buy: 6}}
actors:
  - {name: buy, http: {method: post, url: "${APP}/buy"}}
invariants:
  - {name: two are sold at most, when: end, sql: "SELECT :ok_buy AS sold, :refused_buy AS refused WHERE :ok_buy > 2"}
`, bin, clitest.FreePort(t), fixed))
		got := sent(t, dir, "-t", rounds)
		want := report.Faulty
		if fixed == "1" {
			want = report.Clean
		}
		if got.Summary.Verdict != want {
			t.Errorf("fixed %s: %s", fixed, got)
		}
		for _, f := range got.Findings {
			if f.Claim != "two are sold at most" || !strings.HasPrefix(f.Repro.Command, "ccheck stress "+dir) {
				t.Errorf("%s, %s: %s", f.Claim, f.Message, f.Repro.Command)
			}
		}
	}
}

// TestRunning judges the answers of a shop that runs already, with a database of
// its own: the bug is found, and of the fix nothing is said.
func TestRunning(t *testing.T) {
	bin := shop(t)
	for _, tt := range []struct {
		fixed string
		want  report.Verdict
	}{{"0", report.Faulty}, {"1", report.Unknown}} {
		dsn := pgtest.DSN(t)
		port := clitest.FreePort(t)
		app := exec.Command(bin)
		app.Env = append(os.Environ(), "DATABASE_URL="+dsn, fmt.Sprint("PORT=", port), "BUG=lost", "POOL=10", "FIXED="+tt.fixed)
		if err := app.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = app.Process.Kill()
			_ = app.Wait() // it was killed
		})
		reset := fmt.Sprintf(`%s -qX -c "INSERT INTO item VALUES (1, 1, 5) ON CONFLICT (id) DO UPDATE SET stock = 1" '%s'`, psql(), dsn)
		got := sent(t, "--running", "--curl", fmt.Sprintf("buy=curl -X POST http://127.0.0.1:%d/buy", port), "--reset-cmd", reset, "-t", "10")
		if got.Summary.Verdict != tt.want {
			t.Errorf("fixed %s: %s", tt.fixed, got)
		}
	}
}

// psql is PostgreSQL's own client, which is where its server is.
func psql() string {
	if path, err := exec.LookPath("psql"); err == nil {
		return path
	}
	return "/usr/lib/postgresql/15/bin/psql"
}

// TestCommands runs a job as a command, without any application, at once and in
// every order: a program that takes one of two seats, with and without looking and writing in one statement.
func TestCommands(t *testing.T) {
	const (
		naive = `free=$(%[1]s -qtAX -c 'SELECT free FROM seat'); test "$free" -gt 0 || exit 3; %[1]s -qX -c "UPDATE seat SET free = $free - 1"`
		right = `test "$(%[1]s -qtAX -c 'UPDATE seat SET free = free - 1 WHERE free > 0 RETURNING 1')" = 1 || exit 3`
	)
	for _, tt := range []struct {
		command string
		faulty  bool
	}{{naive, true}, {right, false}} {
		dir := scenarioOf(t, fmt.Sprintf(`version: 1
app: {seed: {sql: "CREATE TABLE seat (free int NOT NULL); INSERT INTO seat VALUES (2)"}}
load: {clients: 4}
actors:
  - name: take
    refused: 3
    command: |
      %s
`, fmt.Sprintf(tt.command, psql())))
		at := sent(t, dir, "-t", "5")
		every := ran(t, func(s *stdio.Streams) *cobra.Command { return explore.New(s, nil) }, dir)
		if (len(at.Findings) > 0) != tt.faulty || (len(every.Findings) > 0) != tt.faulty {
			t.Errorf("%s\nat once: %s\nin every order: %s", tt.command, at, every)
		}
	}
}
