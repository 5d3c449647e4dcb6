// Package storytest holds what tests of the screens and of the text sink
// share: two findings as a judge writes them, the run they come from, and the
// comparison with a golden file. It is imported by tests only.
package storytest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/analyzers/report"
)

var update = flag.Bool("update", false, "write the golden files")

// Golden compares got with testdata/<name>, and writes it with -update.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("reading the golden file (run with -update to write it): %v", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

// Run is the run of the samples.
func Run() report.Run {
	return report.Run{
		ID: "7f3a", Tool: "ccheck v0.1.0", Probe: "stress", Scenario: "wallet", Title: "Wallet with transfers",
		Target: "localhost:5432/shop", Server: "PostgreSQL 15.18", Isolation: "read committed",
		Seed: 7, Clients: 16, Duration: 30 * time.Second,
		Started: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Claims:  []string{"money is conserved", "no balance below zero", "at least one doctor on call", "every debit has a credit"},
	}
}

const ms = time.Millisecond

// LostUpdate is a wallet whose transfers read, compute and write back.
func LostUpdate() report.Finding {
	return report.Finding{
		Rule: "lostupdate", Severity: report.High, Anomaly: "lost update (P4)", Claim: "money is conserved",
		Message: "Two transfers read balance 100 of wallet 3 and both wrote back what they had computed from it: the first withdrawal is lost and 20 were created.",
		Where:   report.Location{File: "wallet/transfer.sql", Line: 3},
		Count:   12, First: 1213 * ms, Last: 28400 * ms,
		Columns: []string{"wallet", "accepted", "balance", "difference"},
		Rows:    [][]string{{"3", "-50", "70", "+20"}, {"8", "-35", "81", "+16"}},
		Books:   &report.Books{Created: "36", Lost: "0"},
		Lanes: []report.Lane{
			{Name: "T1", Detail: "client 3, transfer, try 1"}, {Name: "T2", Detail: "client 9, transfer, try 1"},
		},
		Steps: []report.Step{
			{Lane: 0, Text: "BEGIN", Start: 1200 * ms, End: 1201 * ms},
			{Lane: 0, Text: "SELECT balance FROM wallet WHERE id = 3", Read: "balance 100", Start: 1201 * ms, End: 1202 * ms},
			{Lane: 1, Text: "BEGIN", Start: 1202 * ms, End: 1203 * ms},
			{Lane: 1, Text: "SELECT balance FROM wallet WHERE id = 3", Read: "balance 100", Start: 1203 * ms, End: 1204 * ms},
			{Lane: 0, Text: "UPDATE wallet SET balance = 80 WHERE id = 3", Wrote: "balance 100 → 80", Start: 1204 * ms, End: 1205 * ms,
				Deps: []report.Dep{{From: 3, Kind: "rw"}}},
			{Lane: 1, Text: "UPDATE wallet SET balance = 70 WHERE id = 3", Wait: "waits for T1, 4.1 ms", Wrote: "balance 80 → 70", Start: 1205 * ms, End: 1210 * ms,
				Deps: []report.Dep{{From: 4, Kind: "ww"}, {From: 1, Kind: "rw"}}},
			{Lane: 0, Text: "COMMIT", Result: "COMMIT ok", Start: 1208 * ms, End: 1209 * ms},
			{Lane: 1, Text: "COMMIT", Result: "COMMIT ok", Start: 1212 * ms, End: 1213 * ms},
		},
		Before: "wallet 3: balance 100", After: "wallet 3: balance 70", Expected: "wallet 3: balance 50",
		Why: "T2 wrote a balance computed from 100, although T1 had made it 80 in between: no serial order of the two gives 70.",
		Fixes: []report.Fix{
			{Kind: report.Atomic, Title: "let the statement compute the new balance",
				SQL:  "UPDATE wallet SET balance = balance - 20\n  WHERE id = 3 AND balance >= 20;",
				Note: "No row changed means refused. Right at every isolation level.", Verified: "0 violations in 5000 transactions, -6 % tps"},
			{Kind: report.Optimistic, Title: "write only if nobody has written since",
				SQL: "UPDATE wallet SET balance = 80, version = version + 1 WHERE id = 3 AND version = 41;", Note: "No row changed means start over."},
			{Kind: report.Pessimistic, Title: "lock the row when reading it", SQL: "SELECT balance FROM wallet WHERE id = 3 FOR UPDATE;"},
		},
		Repro: report.Repro{Command: "ccheck stress wallet --seed 7 --clients 16", Seed: 7,
			Psql: []string{"BEGIN; -- 1\nSELECT balance FROM wallet WHERE id = 3; -- 2", "BEGIN; -- 3\nSELECT balance FROM wallet WHERE id = 3; -- 4"}},
		Fingerprint: "lostupdate:wallet", Help: "docs/analyzers/lostupdate.md",
	}
}

// WriteSkew is two doctors who both go off call.
func WriteSkew() report.Finding {
	return report.Finding{
		Rule: "writeskew", Severity: report.High, Anomaly: "write skew (G2-item)", Claim: "at least one doctor on call",
		Message: "Both doctors of shift 77 went off call: each had read that two were on call and then removed only itself.",
		Count:   2, First: 9002 * ms, Last: 18003 * ms,
		Lanes: []report.Lane{{Name: "T1", Detail: "client 3, leave"}, {Name: "T2", Detail: "client 9, leave"}},
		Steps: []report.Step{
			{Lane: 0, Text: "BEGIN ISOLATION LEVEL REPEATABLE READ", Start: 9000 * ms, End: 9000 * ms},
			{Lane: 1, Text: "BEGIN ISOLATION LEVEL REPEATABLE READ", Start: 9000 * ms, End: 9000 * ms},
			{Lane: 0, Text: "SELECT count(*) FROM oncall WHERE shift = 77", Read: "count 2", Start: 9001 * ms, End: 9001 * ms},
			{Lane: 1, Text: "SELECT count(*) FROM oncall WHERE shift = 77", Read: "count 2", Start: 9001 * ms, End: 9001 * ms},
			{Lane: 0, Text: "DELETE FROM oncall WHERE shift = 77 AND doctor = 'ann'", Wrote: "1 row deleted", Start: 9002 * ms, End: 9002 * ms,
				Deps: []report.Dep{{From: 3, Kind: "rw"}}},
			{Lane: 1, Text: "DELETE FROM oncall WHERE shift = 77 AND doctor = 'bob'", Wrote: "1 row deleted", Start: 9002 * ms, End: 9002 * ms,
				Deps: []report.Dep{{From: 2, Kind: "rw"}}},
			{Lane: 0, Text: "COMMIT", Result: "COMMIT ok", Start: 9003 * ms, End: 9003 * ms},
			{Lane: 1, Text: "COMMIT", Result: "COMMIT ok", Start: 9003 * ms, End: 9004 * ms},
		},
		Before: "oncall 77: ann, bob", After: "oncall 77: none", Expected: "at least 1",
		Why: "Each read what the other then removed; T1 before T2 leaves bob, T2 before T1 leaves ann.",
		Fixes: []report.Fix{
			{Kind: report.Pessimistic, Title: "lock the shift before counting", SQL: "SELECT 1 FROM shift WHERE id = 77 FOR UPDATE;"},
			{Kind: report.Isolation, Title: "run at SERIALIZABLE and start over on 40001", SQL: "BEGIN ISOLATION LEVEL SERIALIZABLE;"},
		},
		Repro:       report.Repro{Command: "ccheck stress oncall --seed 7", Seed: 7},
		Fingerprint: "writeskew:oncall",
	}
}

// Leak is a class of objects that grows, with its owner and two paths to it.
func Leak() report.Finding {
	return report.Finding{
		Rule: "heapgrowth", Severity: report.High, Anomaly: "leak", Message: "200 more RenderedPage in each snapshot, 1.2 kB each: unbounded map, gathered in Map pages",
		Why: "200 more in each of the last 3 snapshots", Help: "docs/analyzers/heapgrowth.md", Where: report.Location{File: "shop.js", Line: 9},
		Growth: &report.Growth{
			Verdict: report.Leak, Confidence: "high", Name: "RenderedPage", Unit: "objects", Counts: []int64{200, 400, 600, 800, 1000, 1200, 1400},
			Slope: 200, PerRequest: 1, PerMinute: 1200, Bytes: 1440000, Each: 1200, Share: 0.94, Kind: "unbounded map", Owner: "Map pages", With: []string{"(string)", "Date"},
			Paths: [][]report.Held{
				{{Name: "render", Class: "closure render()", Where: "shop.js:9"}, {Name: "pages", Class: "Map", Owner: true, Bytes: 1680000}, {Name: "[entry]", Class: "RenderedPage"}},
				{{Name: "global", Class: "global"}, {Name: "last", Class: "RenderedPage"}},
			},
		},
		Fixes: []report.Fix{{Kind: report.Bound, Title: "Give it a bound", Note: "an LRU with a size | a time to live"}},
	}
}

// Unretried is an error that reached a caller.
func Unretried() report.Finding {
	return report.Finding{
		Rule: "retry", Severity: report.Medium,
		Message: "A serialization failure reached the caller of transfer: 131 calls ended with 40001 and were not started over.",
		Count:   131, First: 400 * ms,
		Lanes: []report.Lane{{Name: "T1", Detail: "client 5, transfer"}},
		Steps: []report.Step{{Lane: 0, Text: "UPDATE wallet SET balance = balance - 5 WHERE id = 3",
			Result: "ERROR 40001 could not serialize access due to concurrent update", Start: 400 * ms, End: 401 * ms}},
		Fixes:       []report.Fix{{Kind: report.Retry, Title: "start the transaction over on 40001"}},
		Repro:       report.Repro{Command: "ccheck stress wallet --isolation rr --seed 7", Seed: 7},
		Fingerprint: "retry:transfer",
	}
}

// Progress is the state after 18 of 30 seconds.
func Progress() report.Progress {
	p := report.Progress{
		Phase: "running", Elapsed: 18 * time.Second, Total: 30 * time.Second,
		Accepted: 15210, Refused: 1186, Failed: 142, Commits: 16396, Retries: 88, Rate: 912,
		Errors: []report.Count{{Key: "40001", N: 131}, {Key: "40P01", N: 11}},
		P50:    1100 * time.Microsecond, P99: 9800 * time.Microsecond, Max: 71 * ms,
		Slot:     time.Second,
		Bands:    []time.Duration{ms / 2, ms, 4 * ms, 16 * ms, 64 * ms},
		Claims:   claims(),
		Evidence: Evidence(), Recorded: 9_400_000,
	}
	for i := range 18 {
		p.Throughput = append(p.Throughput, float64(700+(i*i*37)%500))
		p.Heat = append(p.Heat, []int64{int64(40 + i%5*10), int64(500 + i%3*90), int64(200 + i%7*30), int64(i % 4 * 6), int64(i % 9 / 8)})
	}
	p.Marks = []report.Mark{{Slot: 1, Kind: "violation"}, {Slot: 4, Kind: "lock wait"}, {Slot: 9, Kind: "violation"}, {Slot: 17, Kind: "violation"}}
	p.Violations = []report.Violation{
		{ID: 1, At: 1213 * ms, Claim: "money is conserved", Text: "total 2020, expected 2000", Finding: -1},
		{ID: 2, At: 9002 * ms, Claim: "at least one doctor on call", Text: "shift 77 has 0 doctors", Finding: -1},
		{ID: 3, At: 13500 * ms, Claim: "money is conserved", Text: "total 2036, expected 2000", Finding: -1},
		{ID: 4, At: 17300 * ms, Claim: "at least one doctor on call", Text: "shift 57 has 0 doctors", Finding: -1},
	}
	return p
}

func claims() []report.ClaimState {
	return []report.ClaimState{
		{Name: "money is conserved", State: "bad", Checks: 412, Bad: 2, FirstBad: 1213 * ms, Note: "two reads of one balance"},
		{Name: "no balance below zero", State: "ok", Checks: 412, Note: "snapshot, every 40 ms"},
		{Name: "at least one doctor on call", State: "bad", Checks: 412, Bad: 2, FirstBad: 9002 * ms},
		{Name: "every debit has a credit", State: "waiting", Note: "checked when the lanes have stopped"},
	}
}

// Evidence is enough to judge.
func Evidence() report.Evidence {
	return report.Evidence{
		Calls: 16538, Transactions: 16538, Statements: 66010, Tries: 16626, Overlaps: 2412, LockWaits: 187,
		Conflicts: 142, SmallestGap: 310 * time.Microsecond, Checks: 412, Enough: true,
	}
}

// Summary is the end of the run.
func Summary() report.Summary {
	final := Progress()
	final.Phase, final.Elapsed = "done", 30*time.Second
	for i := range final.Violations {
		final.Violations[i].Finding = i % 2
	}
	return report.Summary{
		Verdict: report.Faulty, Final: final, Evidence: Evidence(), Tables: []report.Table{Compare()},
		History: "ccheck-7f3a.jsonl", Notes: []string{"The schema ccheck_7f3a was removed."},
		Line: "ccheck: 3 findings (lost update 1, write skew 1, retry 1) in 16538 calls, 30.0s, seed 7, report ccheck-7f3a.jsonl",
	}
}

// Compare is a result in rows.
func Compare() report.Table {
	return report.Table{
		Title:   "wallet, every version at three isolation levels",
		Columns: []string{"version", "isolation", "violations", "money", "accepted", "refused", "failed", "retries", "40001", "40P01", "tps", "p50", "p99"},
		Rows: [][]string{
			{"naive", "read committed", "12", "+240", "15210", "1186", "0", "0", "0", "0", "912", "1.1 ms", "9.8 ms"},
			{"atomic", "read committed", "0", "0", "15020", "1201", "0", "0", "0", "0", "905", "1.1 ms", "9.9 ms"},
			{"serializable", "serializable", "0", "0", "9120", "730", "0", "2210", "2210", "0", "611", "1.9 ms", "22 ms"},
		},
		Bad:   []bool{true, false, false},
		Notes: []string{"Each cell ran for 10 s with 16 clients and seed 7."},
	}
}
