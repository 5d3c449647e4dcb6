package record_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/cli/explore"
	"github.com/ccheck/ccheck/cmd/internal/cli/record"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// use is what somebody does in the market: log in, order, pay, and order again.
const use = `
post() { curl -s -X POST "$CCHECK_APP$1" -H 'Content-Type: application/json' -H "Authorization: Bearer $token" -d "${2:-{\}}"; }
field() { sed 's/.*":"\([^"]*\)".*/\1/'; }
token=$(post /login '{"password":"canary-password"}' | field)
first=$(post /orders | field)
post /orders/$first/pay
second=$(post /orders | field)
post /orders/$second/pay
post /news '{"text":"hello"}'
`

const seed = "INSERT INTO account VALUES (1, 'canary-password', 100), (2, 'other', 100);"

// market is what a test works with.
type market struct {
	t            *testing.T
	bin, tape    string
	seed, script string
	port         int
}

func newMarket(t *testing.T) *market {
	t.Helper()
	dir := t.TempDir()
	m := &market{t: t, bin: filepath.Join(dir, "market"), tape: filepath.Join(dir, "market.tape"), seed: filepath.Join(dir, "seed.sql"), script: filepath.Join(dir, "use.sh")}
	if out, err := exec.Command("go", "build", "-o", m.bin, "./testdata/market").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, text := range map[string]string{m.seed: seed, m.script: use} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m.port = clitest.FreePort(t)
	return m
}

// record runs the command.
func (m *market) record(args ...string) (string, error) {
	s, out := stdio.Test()
	all := append([]string{"--app", m.bin, "--port", fmt.Sprint(m.port), "-o", m.tape}, args...)
	err := clitest.Run(m.t, record.New(s, nil), append(all, "--", "sh", m.script)...)
	m.t.Log(out.Err.String())
	return out.Out.String(), err
}

type outcome struct {
	Findings []report.Finding `json:"findings"`
	Summary  report.Summary   `json:"summary"`
}

// explore runs the tape.
func (m *market) explore(args ...string) outcome {
	m.t.Helper()
	return m.play(append([]string{"--app", m.bin, "--source", "testdata/market", "--seed-sql", m.seed}, args...)...)
}

// play runs the tape with these flags alone.
func (m *market) play(args ...string) outcome {
	m.t.Helper()
	s, out := stdio.Test()
	home := m.t.TempDir()
	s.Env = func(name string) string {
		return map[string]string{"XDG_STATE_HOME": home, "PW": "canary-password"}[name]
	}
	all := append([]string{m.tape, "--format", "json"}, args...)
	err := clitest.Run(m.t, explore.New(s, nil), all...)
	var got outcome
	if jsonErr := json.Unmarshal(out.Out.Bytes(), &got); jsonErr != nil {
		m.t.Fatalf("%v, %+v: %s%s", err, clitest.Of(err), out.Out.String(), out.Err.String())
	}
	m.t.Log(out.Err.String())
	return got
}

// results are the pairs of an exploration and what became of them.
func results(o outcome) map[string]string {
	all := map[string]string{}
	for _, row := range o.Summary.Tables[0].Rows {
		all[row[0]] = row[3]
	}
	return all
}

func TestRecordAndExplore(t *testing.T) {
	m := newMarket(t)
	out, err := m.record("--seed-sql", m.seed)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !strings.Contains(out, "6 requests of 5 kinds") {
		t.Errorf("told %s", out)
	}
	b, err := os.ReadFile(m.tape)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "canary") {
		t.Errorf("the password is on the tape:\n%s", b)
	}

	got := m.explore("--secret", "password=env:PW")
	if got.Summary.Verdict != report.Faulty || results(got)["orders-pay beside orders-pay"] != "RACE" {
		t.Errorf("the bug: %s %v %v", got.Summary.Verdict, results(got), got.Summary.Reasons)
	}
	for _, f := range got.Findings {
		if strings.Contains(f.Message, "orders-pay beside orders-pay") && (f.Where.File != "main.go" || f.Where.Line == 0) {
			t.Errorf("the race is at %+v", f.Where)
		}
	}
	for pair, result := range results(got) {
		if result == "not judged" {
			t.Errorf("%s has no verdict: %v", pair, got.Summary.Reasons)
		}
	}
	got = m.explore("--secret", "password=env:PW", "--env", "FIXED=1", "--lanes", "orders-pay,orders-pay")
	if got.Summary.Verdict != report.Clean || len(got.Findings) != 0 || results(got)["orders-pay beside orders-pay"] != "holds" {
		t.Errorf("the fix: %s %v %v", got.Summary.Verdict, results(got), got.Summary.Reasons)
	}
}

// Without the password nobody can log in, so what comes after has no verdict.
func TestMissingSecret(t *testing.T) {
	m := newMarket(t)
	if _, err := m.record("--seed-sql", m.seed); err != nil {
		t.Fatal(err)
	}
	got := m.explore("--lanes", "orders-pay,orders-pay")
	if got.Summary.Verdict != report.Unknown || results(got)["orders-pay beside orders-pay"] != "not judged" {
		t.Errorf("%s %v", got.Summary.Verdict, results(got))
	}
	if text := strings.Join(got.Summary.Notes, "\n"); !strings.Contains(text, "its password was masked; give it with --secret password=…") {
		t.Errorf("notes %s", text)
	}
}

// A tape of HTTP alone is explored too: what the requests do is learnt then.
func TestHTTPOnly(t *testing.T) {
	m := newMarket(t)
	// The application has its database from elsewhere: here from a run of its own.
	if _, err := m.record("--seed-sql", m.seed); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(m.tape)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(b)) {
		var head struct {
			Database string `json:"database"`
		}
		if json.Unmarshal([]byte(line), &head) == nil && head.Database != "" {
			line = strings.Replace(line, fmt.Sprintf(`"database":%q`, head.Database), `"database":""`, 1)
		}
		if !strings.HasPrefix(line, `{"statement":`) {
			kept = append(kept, line)
		}
	}
	if err := os.WriteFile(m.tape, []byte(strings.Join(kept, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	got := m.explore("--secret", "password=env:PW", "--lanes", "orders-pay,orders-pay")
	if results(got)["orders-pay beside orders-pay"] != "RACE" {
		t.Errorf("%v %v", results(got), got.Summary.Reasons)
	}
	got = m.explore("--secret", "password=env:PW", "--lanes", "orders,news")
	if results(got)["orders beside news"] != "apart" {
		t.Errorf("%v %v", results(got), got.Summary.Reasons)
	}
}

// An application that runs already keeps its database to itself: a tape of its
// requests is sent again, every two at one moment. The bug is found by the answers,
// and of the fix nothing is said.
func TestRunning(t *testing.T) {
	for _, tt := range []struct{ fixed, want string }{{"0", "RACE"}, {"1", "not judged"}} {
		m := newMarket(t)
		dsn := pgtest.DSN(t)
		app := exec.Command(m.bin)
		app.Env = append(os.Environ(), "DATABASE_URL="+dsn, fmt.Sprint("PORT=", m.port), "FIXED="+tt.fixed)
		if err := app.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = app.Process.Kill()
			_ = app.Wait() // it was killed
		})
		reset := filepath.Join(t.TempDir(), "reset.sql")
		if err := os.WriteFile(reset, []byte("TRUNCATE account, session, orders, news; "+seed), 0o600); err != nil {
			t.Fatal(err)
		}
		psql := "/usr/lib/postgresql/15/bin/psql"
		if path, err := exec.LookPath("psql"); err == nil {
			psql = path
		}
		back := fmt.Sprintf("%s -qX -v ON_ERROR_STOP=1 -f %s '%s'", psql, reset, dsn)
		m.wait(back)
		s, out := stdio.Test()
		if err := clitest.Run(t, record.New(s, nil), "--http-only", "--port", fmt.Sprint(m.port), "-o", m.tape, "--", "sh", m.script); err != nil {
			t.Fatalf("%v: %s", err, out.Err.String())
		}
		got := m.play("--running", "--reset-cmd", back, "--secret", "password=env:PW", "--lanes", "orders-pay,orders-pay")
		if r := results(got)["orders-pay beside orders-pay"]; r != tt.want {
			t.Errorf("fixed %s: %v, %v, %+v", tt.fixed, results(got), got.Summary.Notes, got.Summary.Tables)
		}
		got = m.play("--running", "--reset-cmd", back, "--secret", "password=env:PW", "--lanes", "orders,news")
		if r := results(got)["orders beside news"]; r != "not judged" {
			t.Errorf("fixed %s: %v", tt.fixed, results(got))
		}
	}
}

// wait returns when the market has made its tables.
func (m *market) wait(reset string) {
	m.t.Helper()
	for range 100 {
		if exec.Command("sh", "-c", reset).Run() == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	m.t.Fatal("the market does not start")
}

func TestUsage(t *testing.T) {
	tests := []struct {
		args []string
		want clitest.Outcome
	}{
		{nil, clitest.Outcome{Code: exit.Usage, Msg: "where the application listens is not known", Hint: "give its port with --port, or its address with --url"}},
		{[]string{"npm"}, clitest.Outcome{Code: exit.Usage, Msg: `ccheck record does not take the argument "npm"`, Hint: "a command that uses the application stands behind --: ccheck record … -- npm test"}},
		{[]string{"--port", "3", "--"}, clitest.Outcome{Code: exit.Usage, Msg: "behind -- there is no command", Hint: "such as: ccheck record … -- npm test"}},
		{[]string{"--port", "70000"}, clitest.Outcome{Code: exit.Usage, Msg: "--port 70000 is no port", Hint: "it is that of the application, from 1 to 65535"}},
		{[]string{"--port", "3", "--live", "--http-only"}, clitest.Outcome{Code: exit.Usage, Msg: "--live stands in front of the database, and --http-only does not", Hint: "leave one of them out"}},
		{[]string{"--port", "3", "--live"}, clitest.Outcome{Code: exit.Usage, Msg: "--live needs a database", Hint: "name it with --dsn"}},
		{[]string{"--port", "3", "--limit", "0"}, clitest.Outcome{Code: exit.Usage, Msg: "--limit 0 is no size", Hint: "it is in MiB, and at least 1; the default is 64"}},
		{[]string{"--port", "3", "--env", "X"}, clitest.Outcome{Code: exit.Usage, Msg: "--env sets nothing where there is no =", Hint: "it looks like NAME=value"}},
		{[]string{"--url", "https://shop.example.com"}, clitest.Outcome{Code: exit.Usage, Msg: `--url "…" (not shown: it looks like a connection string and may hold a password) is no address of an application`, Hint: "such as http://localhost:3000; HTTPS is spoken by what stands in front of it"}},
		{[]string{"--port", "3", "--http-only", "--seed-sql", "nosuch.sql"}, clitest.Outcome{Code: exit.Usage, Msg: "--seed-sql: open nosuch.sql: no such file or directory", Hint: "name a file with SQL that is there"}},
		{[]string{"--port", "1", "--http-only", "-o", "TAPE", "--", "true"}, clitest.Outcome{Code: exit.Unknown, Msg: "no request came, so there is nothing on the tape", Hint: "use the application at the address that is printed, not at its own"}},
		{[]string{"--port", "1", "--http-only", "-o", "TAPE", "--", "nosuchprogram"}, clitest.Outcome{Code: exit.Usage, Msg: `nosuchprogram: exec: "nosuchprogram": executable file not found in $PATH`, Hint: "name a program that uses the application, with its arguments"}},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		for i, a := range tt.args {
			tt.args[i] = strings.Replace(a, "TAPE", filepath.Join(t.TempDir(), "x.tape"), 1)
		}
		if got := clitest.Of(clitest.Run(t, record.New(s, nil), tt.args...)); got != tt.want {
			t.Errorf("%q\n got %+v\nwant %+v", tt.args, got, tt.want)
		}
	}
}
