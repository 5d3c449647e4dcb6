package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/history/contention"
	"github.com/ccheck/ccheck/analyzers/history/failure"
	"github.com/ccheck/ccheck/analyzers/history/invariant"
	"github.com/ccheck/ccheck/analyzers/history/ledger"
	"github.com/ccheck/ccheck/analyzers/history/retry"
	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

var all = []*check.Checker{invariant.Checker, ledger.Checker, retry.Checker, failure.Checker, contention.Checker}

const head = `
table account: id integer key, balance bigint
claim no account is overdrawn: SELECT id AS account, balance FROM account WHERE balance < 0
ledger books
actor pay effect account.id.balance
state account before => id, balance: 3, 100
check no account is overdrawn =>
`

// naive loses an update of account 3: 100 - 30 - 20 is not 80.
const naive = `
A calls pay
B calls pay
A: BEGIN
A: SELECT balance FROM account WHERE id = $1 | 3 => balance: 100
B: BEGIN
B: SELECT balance FROM account WHERE id = $1 | 3 => balance: 100
A: UPDATE account SET balance = $2 WHERE id = $1 | 3, 70 => UPDATE 1
A: COMMIT
A ends accepted key=3 add=-30
B: UPDATE account SET balance = $2 WHERE id = $1 | 3, 80 => UPDATE 1
B: COMMIT
B ends accepted key=3 add=-20
`

// careful changes nothing in the end, and its lanes meet.
const careful = `
A calls pay
B calls pay
A: BEGIN
A: UPDATE account SET balance = balance + $2 WHERE id = $1 | 3, 1 => UPDATE 1
B: BEGIN
B< UPDATE account SET balance = balance + $2 WHERE id = $1 | 3, -1
A: COMMIT
A ends accepted key=3 add=1
B> UPDATE 1
B: COMMIT
B ends accepted key=3 add=-1
`

func judge(t *testing.T, lines string, checkers ...*check.Checker) Result {
	t.Helper()
	r, err := Judge(context.Background(), historytest.Read(t, lines), checkers)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestVerdicts(t *testing.T) {
	after := "state account after => id, balance: 3, %s\ncheck no account is overdrawn =>%s\n"
	tests := []struct {
		name    string
		lines   string
		verdict report.Verdict
		rules   []string
	}{
		{"clean", head + strings.Repeat(careful, 100) + fmt.Sprintf(after, "100", ""), report.Clean, nil},
		{"too little contention", head + careful + fmt.Sprintf(after, "100", ""), report.Unknown, nil},
		{"faulty", head + naive + fmt.Sprintf(after, "80", ""), report.Faulty, []string{"ledger"}},
		{"faulty outranks unknown", head + naive + fmt.Sprintf(after, "-5", " account, balance: 3, -5"), report.Faulty, []string{"invariant"}},
		{"empty", head, report.Unknown, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := judge(t, tt.lines, all...)
			var rules []string
			for _, f := range r.Findings {
				rules = append(rules, f.Rule)
			}
			if r.Verdict != tt.verdict || !slices.Equal(rules, tt.rules) {
				t.Errorf("verdict %s with %v, want %s with %v; reasons %q", r.Verdict, rules, tt.verdict, tt.rules, r.Reasons)
			}
			if (r.Verdict == report.Clean) != (len(r.Reasons) == 0 && len(r.Findings) == 0) {
				t.Errorf("verdict %s with reasons %q", r.Verdict, r.Reasons)
			}
			if again := judge(t, tt.lines, all...); !cmp.Equal(r, again) {
				t.Errorf("the same file gives another result:\n%s", cmp.Diff(r, again))
			}
		})
	}
}

func TestTwoJudgesOneStory(t *testing.T) {
	r := judge(t, head+naive+"state account after => id, balance: 3, -5\ncheck no account is overdrawn => account, balance: 3, -5\n", all...)
	if len(r.Findings) != 1 {
		t.Fatalf("%d findings, want one: the ledger and the invariant tell the same story", len(r.Findings))
	}
	if f := r.Findings[0]; !strings.Contains(f.Why, "ledger") || f.Fingerprint == "" {
		t.Errorf("the finding does not carry the ledger's evidence: %q", f.Why)
	}
}

// One race that breaks two claims is told once, and both are findings.
func TestOneRaceTwoClaims(t *testing.T) {
	const second = "claim the books balance: SELECT id AS account, balance FROM account WHERE balance < 10\n"
	broken := "check no account is overdrawn => account, balance: 3, -5\ncheck the books balance => account, balance: 3, -5\n"
	r := judge(t, head+second+"check the books balance =>\n"+naive+"state account after => id, balance: 3, -5\n"+broken, invariant.Checker)
	if len(r.Findings) != 2 {
		t.Fatalf("%d findings, want one for each claim", len(r.Findings))
	}
	first, other := r.Findings[0], r.Findings[1]
	if len(first.Steps) == 0 || !slices.Equal(first.Also, []string{other.Claim}) || first.SameAs != "" {
		t.Errorf("the first does not tell the race of both: also %q, same as %q, %d steps", first.Also, first.SameAs, len(first.Steps))
	}
	if other.SameAs != first.Fingerprint || len(other.Steps)+len(other.Lanes)+len(other.Repro.Psql) > 0 || len(other.Rows) == 0 {
		t.Errorf("the second tells it again, or lost its evidence: %+v", other)
	}
	if !strings.Contains(other.Why, first.Claim) || other.Claim == first.Claim {
		t.Errorf("the second does not name the first: %q", other.Why)
	}
	for _, x := range other.Fixes {
		if hasFix(&first, x) {
			t.Errorf("the fix %q stands twice", x.Title)
		}
	}
}

// Two races that break two claims are two stories.
func TestTwoRacesTwoClaims(t *testing.T) {
	story := func(claim, sql string) report.Finding {
		return report.Finding{
			Rule: "invariant", Claim: claim, Anomaly: "lost update (P4)",
			Lanes: []report.Lane{{Name: "T1", Detail: "client 1, pay"}}, Steps: []report.Step{{Text: sql}},
		}
	}
	got := tidy([]report.Finding{story("a", "UPDATE account SET balance = 3"), story("b", "UPDATE stock SET n = 4"), story("c", "UPDATE account SET balance = 9")})
	if got[0].SameAs != "" || got[1].SameAs != "" || got[2].SameAs != got[0].Fingerprint || len(got[1].Steps) != 1 {
		t.Errorf("%+v", got)
	}
}

// The fingerprint of a bug does not depend on values, times or which lanes met.
func TestFingerprint(t *testing.T) {
	one := judge(t, head+naive+"state account after => id, balance: 3, 80\n", all...)
	other := strings.NewReplacer("| 3", "| 4", ", 70", ", 60", "key=3", "key=4", "add=-30", "add=-40", "\nA", "\nC").Replace(naive)
	two := judge(t, strings.ReplaceAll(head, "3, 100", "4, 100")+other+"state account after => id, balance: 4, 80\n", all...)
	if len(one.Findings) != 1 || len(two.Findings) != 1 || one.Findings[0].Fingerprint != two.Findings[0].Fingerprint {
		t.Errorf("fingerprints differ: %+v and %+v", one.Findings, two.Findings)
	}
}

func TestOrder(t *testing.T) {
	say := func(severity report.Severity, first int) *check.Checker {
		return &check.Checker{Name: "x", Run: func(p *check.Pass) error {
			p.Report(report.Finding{Rule: fmt.Sprint(severity, first), Severity: severity, First: time.Duration(first)})
			return nil
		}}
	}
	r := judge(t, head, say(report.Low, 1), say(report.High, 9), say(report.Medium, 2), say(report.High, 3))
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Rule)
	}
	if want := []string{"high3", "high9", "medium2", "low1"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestCrashIsUnknown(t *testing.T) {
	crash := &check.Checker{Name: "fragile", Run: func(p *check.Pass) error {
		for range p.Ops() {
			panic("index out of range")
		}
		return nil
	}}
	stop := &check.Checker{Name: "strict", Run: func(*check.Pass) error { return errors.New("no tables") }}
	r := judge(t, head+strings.Repeat(careful, 100), contention.Checker, crash, stop)
	if r.Verdict != report.Unknown || len(r.Reasons) != 2 || !strings.Contains(r.Reasons[0], "fragile crashed: index out of range") || !strings.Contains(r.Reasons[1], "strict stopped: no tables") {
		t.Errorf("verdict %s, reasons %q", r.Verdict, r.Reasons)
	}
	if !r.Evidence.Enough {
		t.Error("the evidence of the other checker is lost")
	}
}

// Checkers read as often as they like, stop in the middle, or read inside of a
// pass, and none of them keeps another one waiting for ever.
func TestPasses(t *testing.T) {
	const calls = 700 // more events than one batch
	lines := head + strings.Repeat("A calls pay\nA ends accepted key=3 add=0\n", calls)
	count := func(p *check.Pass, stop int) (n int) {
		for o := range p.Ops() {
			if o.Scope == history.ScopeCall {
				n++
			}
			if stop > 0 && n == stop {
				break
			}
		}
		return n
	}
	checker := func(name string, passes ...int) *check.Checker {
		return &check.Checker{Name: name, Run: func(p *check.Pass) error {
			for _, stop := range passes {
				want := 2 * calls
				if stop > 0 {
					want = stop
				}
				if n := count(p, stop); n != want {
					return fmt.Errorf("saw %d calls, want %d", n, want)
				}
			}
			return nil
		}}
	}
	nested := &check.Checker{Name: "nested", Run: func(p *check.Pass) error {
		for range p.Ops() {
			if n := count(p, 0); n != 2*calls {
				return fmt.Errorf("saw %d calls inside of a pass", n)
			}
			break
		}
		return nil
	}}
	r := judge(t, lines, checker("none"), checker("once", 0), checker("twice", 0, 0), checker("early", 1, 0, 5), nested)
	if len(r.Reasons) > 0 {
		t.Error(r.Reasons)
	}
}

func TestTruncatedIsUnknown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := history.Create(path, history.Header{Target: history.Target{Isolation: "read committed"}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	rec := w.Recorder(0)
	rec.BeginCall("pay")
	rec.EndCall(history.Accepted, 1, nil, nil)
	if err := rec.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := history.Read("cut", data[:len(data)-5])
	if err != nil {
		t.Fatal(err)
	}
	none := &check.Checker{Name: "reader", Run: func(p *check.Pass) error {
		for _, err := range p.Ops() {
			if err != nil {
				return err
			}
		}
		return nil
	}}
	r, err := Judge(context.Background(), f, []*check.Checker{none})
	if err != nil || r.Verdict != report.Unknown || len(r.Reasons) != 1 || !strings.Contains(r.Reasons[0], "ends in the middle of a line") {
		t.Errorf("verdict %s, reasons %q, %v", r.Verdict, r.Reasons, err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Judge(ctx, historytest.Read(t, head+naive), all); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
