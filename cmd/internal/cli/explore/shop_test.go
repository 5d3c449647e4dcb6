package explore_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/cli/explore"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// run is one exploration of the shop.
type run struct {
	bug   string
	pool  int
	fixed bool
	args  []string // beside those that every run has
	buy   string   // flags of curl for POST /buy
	// before are the requests before it.
	before string
}

// TestShop explores every bug of the shop, and its fix.
func TestShop(t *testing.T) {
	shop := build(t)
	tests := []struct {
		run
		rule    string         // of the finding
		text    string         // in its message
		fixed   report.Verdict // of the fix; "" is clean
		verdict report.Verdict
		missing string // of the fixed one, when it has no verdict
	}{
		{run: run{bug: "lost", pool: 5}, rule: "serial", text: "overwrote what T2 had written"},
		{run: run{bug: "auto", pool: 5}, rule: "serial", text: "no serial order gives"},
		{run: run{bug: "auto", pool: 1}, rule: "serial", text: "no serial order gives", fixed: report.Unknown},
		{run: run{bug: "both", pool: 5}, rule: "serial", text: "no serial order gives"},
		{run: run{bug: "idle", pool: 5}, rule: "serial", text: "overwrote what T2 had written"},
		{run: run{bug: "pool", pool: 3}, rule: "pooldeadlock", text: "requests of buy held a connection"},
		{run: run{bug: "pool", pool: 2}, rule: "pooldeadlock", text: "2 requests of buy held a connection"},
		{run: run{bug: "retry", pool: 5}, rule: "retry", text: "40001"},
		{run: run{bug: "pay", pool: 5, buy: "-H 'Idempotency-Key: k1'", args: []string{"--stub", "provider=json:ref", "--env", "PAY_URL={{stub provider}}"}},
			rule: "serial", text: "no serial order gives"},
		{run: run{bug: "visit", pool: 5, before: "-X POST http://127.0.0.1:PORT/enter --next", buy: `-H 'X-Key: {{answer find key=.([0-9a-f-]+)}}'`}, rule: "serial", text: "no serial order gives"},
		{run: run{bug: "cache", pool: 5, args: []string{"--curl", "curl http://127.0.0.1:PORT/price", "--lanes", "price,buy"}}, rule: "serial", text: "no serial order gives"},
	}
	for _, tt := range tests {
		name := fmt.Sprintf("%s-%d", tt.bug, tt.pool)
		t.Run(name, func(t *testing.T) {
			r := explored(t, shop, tt.run)
			if r.Summary.Verdict != report.Faulty || len(r.Findings) == 0 || r.Findings[0].Rule != tt.rule || !strings.Contains(r.Findings[0].Message, tt.text) {
				t.Errorf("the bug: %s", told(r))
			}
		})
		t.Run(name+"-fixed", func(t *testing.T) {
			tt.run.fixed = true
			r := explored(t, shop, tt.run)
			if r.Summary.Verdict != cmp.Or(tt.fixed, report.Clean) || len(r.Findings) != 0 {
				t.Errorf("the fix: %s", told(r))
			}
		})
	}
}

// timers are what an application does beside its requests.
var timers = []struct{ every, work string }{
	{"20ms", "INSERT INTO tick VALUES (1)"},
	{"450ms", "INSERT INTO tick VALUES (1)"}, // longer than the application is listened to
	{"30ms", "BEGIN|INSERT INTO tick VALUES (1)|SELECT count(*) FROM tick|COMMIT"},
	{"450ms", "BEGIN|DELETE FROM tick|INSERT INTO tick VALUES (1)|COMMIT"},
}

// What a timer writes is no outcome of the requests.
func TestTimers(t *testing.T) {
	shop := build(t)
	for _, tt := range timers {
		r := run{bug: "both", pool: 5, args: []string{"--env", "EVERY=" + tt.every, "--env", "WORK=" + tt.work}}
		if got := explored(t, shop, r); got.Summary.Verdict != report.Faulty {
			t.Errorf("every %s %s, the bug: %s", tt.every, tt.work, told(got))
		}
		r.fixed = true
		got := explored(t, shop, r)
		if got.Summary.Verdict != report.Clean || len(got.Findings) > 0 {
			t.Errorf("every %s %s, the fix: %s", tt.every, tt.work, told(got))
		}
	}
}

// What an application counts in its memory is found out when a request is answered
// otherwise from the same rows, and goes with its process.
func TestMemory(t *testing.T) {
	got := explored(t, build(t), run{bug: "ration", pool: 5, args: []string{"--time-limit", "3s"}})
	if !strings.Contains(got.log, "the application keeps state in memory; it is started again between schedules") || len(got.Findings) > 0 {
		t.Error(told(got))
	}
}

// Processes that start later than the first send what is no request's.
func TestLateProcess(t *testing.T) {
	got := explored(t, build(t), run{bug: "auto", pool: 5, fixed: true, args: []string{"--env", "LATE=250ms"}})
	if got.Summary.Verdict != report.Clean || strings.Contains(got.log, "keeps state") {
		t.Error(told(got))
	}
}

// A lock of a session that the pool may lend is no proof, one of a transaction is.
func TestSessionLock(t *testing.T) {
	shop := build(t)
	got := explored(t, shop, run{bug: "lock", pool: 5})
	if got.Summary.Verdict != report.Unknown || !strings.Contains(fmt.Sprint(got.Summary.Reasons), "locks for the session of a connection") {
		t.Error(told(got))
	}
	if got := explored(t, shop, run{bug: "lock", pool: 5, fixed: true}); got.Summary.Verdict != report.Clean {
		t.Error(told(got))
	}
}

// A timer that writes to what requests use leaves no verdict, and accuses nobody.
func TestMeddlingTimer(t *testing.T) {
	shop := build(t)
	got := explored(t, shop, run{bug: "lost", pool: 5, fixed: true, args: []string{"--env", "EVERY=1ms", "--env", "WORK=UPDATE item SET price = price + 1"}})
	if got.Summary.Verdict != report.Unknown || len(got.Findings) > 0 || !strings.Contains(fmt.Sprint(got.Summary.Reasons), "the application writes to item by itself") {
		t.Error(told(got))
	}
}

// TestSecretsAreMasked looks for what columns, values, literals, answers and the
// request itself hold, in every form of the report.
func TestSecretsAreMasked(t *testing.T) {
	shop, dir := build(t), t.TempDir()
	r := run{bug: "secret", pool: 5, buy: `-H 'Authorization: Bearer canary-key-4' -d '{"password": "canary-key-5"}'`, args: []string{"--format", "html:" + filepath.Join(dir, "html")}}
	for _, format := range []string{"text", "sarif", "junit", "github"} {
		r.args = append(r.args, "--format", format+":"+filepath.Join(dir, format))
	}
	got := explored(t, shop, r)
	if got.Summary.Verdict != report.Faulty {
		t.Fatal(told(got))
	}
	parsed, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"json": string(parsed), "log": got.log}
	for _, name := range []string{"html", "text", "sarif", "junit", "github"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(b)
	}
	secret := regexp.MustCompile(`canary-key|\b4711\b|\b1147\b`)
	for name, text := range all {
		if at := secret.FindStringIndex(text); at != nil {
			t.Errorf("%s tells a secret: …%s…", name, text[max(at[0]-200, 0):min(at[1]+100, len(text))])
		}
		if name != "log" && !strings.Contains(text, "stock") {
			t.Errorf("%s tells nothing: %s", name, text)
		}
	}
}

// TestRole says who the application is: the owner of its database.
func TestRole(t *testing.T) {
	shop := build(t)
	for _, super := range []bool{false, true} {
		seed := filepath.Join(t.TempDir(), "role.sql")
		text := fmt.Sprintf("CREATE EXTENSION\n  pageinspect; DO $$ BEGIN ASSERT (SELECT rolsuper = %v FROM pg_roles WHERE rolname = current_user); END $$", super)
		if err := os.WriteFile(seed, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := run{bug: "auto", pool: 2, fixed: true, args: []string{"--seed-sql", seed}}
		if super {
			r.args = append(r.args, "--app-superuser")
		}
		if got := explored(t, shop, r); got.Summary.Verdict != report.Clean {
			t.Errorf("superuser %v: %s", super, told(got))
		}
	}
}

// outcome is the part of the json format that is looked at.
type outcome struct {
	Findings []report.Finding `json:"findings"`
	Summary  report.Summary   `json:"summary"`
	log      string
}

func told(r outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v\n", r.Summary.Verdict, r.Summary.Reasons)
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s: %s\n", f.Rule, f.Message)
	}
	return b.String() + r.log
}

// explored runs the command on the shop.
func explored(t *testing.T, shop string, r run) outcome {
	t.Helper()
	home := t.TempDir()
	seed := filepath.Join(t.TempDir(), "seed.sql")
	if err := os.WriteFile(seed, []byte("INSERT INTO item VALUES (1, 2, 5)"), 0o600); err != nil {
		t.Fatal(err)
	}
	port := clitest.FreePort(t)
	args := []string{
		"--app", shop, "--seed-sql", seed, "--format", "json", "--env", "BUG=" + r.bug, "--env", fmt.Sprint("POOL=", r.pool),
		"--curl", strings.ReplaceAll(fmt.Sprintf("buy=curl %s -X POST http://127.0.0.1:PORT/buy %s", r.before, r.buy), "PORT", fmt.Sprint(port)),
	}
	if r.fixed {
		args = append(args, "--env", "FIXED=1")
	}
	for _, a := range r.args {
		args = append(args, strings.ReplaceAll(a, "PORT", fmt.Sprint(port)))
	}
	s, out := stdio.Test()
	s.Env = func(name string) string { return map[string]string{"XDG_STATE_HOME": home}[name] }
	err := clitest.Run(t, explore.New(s, nil), args...)
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

func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "shop")
	if out, err := exec.Command("go", "build", "-o", bin, "./testdata/shop").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}
