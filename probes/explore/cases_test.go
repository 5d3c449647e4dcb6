package explore

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/history/serial"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

var levels = []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable}

// cases are applications with one known bug each: in how many of the orders of
// their steps the claim breaks, at each level, as another runner has counted
// them. It queued the letters of a lane that waits; ours are feasible schedules,
// fewer, and each stands for one or more of those orders. The fixed version
// breaks in none. From 51 on the numbers were counted by hand.
var cases = []struct {
	name   string
	broken [3]int
	of     int // orders of the default version; 0 where they were sampled
}{
	{"01-wallet-absolute-write", [3]int{68, 0, 0}, 70},
	{"03-transfer-opposite-order", [3]int{40, 68, 68}, 70},
	{"05-discount-counted-after-the-order", [3]int{68, 0, 0}, 70},
	{"07-room-overlapping-ranges", [3]int{18, 18, 0}, 20},
	{"09-lock-parent-then-look", [3]int{0, 68, 0}, 70},
	{"11-orm-saves-every-column", [3]int{68, 0, 0}, 70},
	{"13-last-admin-leaves", [3]int{18, 18, 0}, 20},
	{"15-signup-without-unique-index", [3]int{18, 18, 0}, 20},
	{"17-on-conflict-returns-nothing", [3]int{18, 0, 0}, 20},
	{"19-lock-the-last-invoice", [3]int{18, 18, 0}, 20},
	{"21-job-claim-in-one-statement", [3]int{12, 0, 0}, 20},
	{"23-idempotency-key-stored-last", [3]int{68, 68, 68}, 70},
	{"25-outbox-cursor-skips-a-commit", [3]int{37, 32, 32}, 0},
	{"27-cron-fires-on-two-instances", [3]int{68, 0, 0}, 70},
	{"29-refresh-token-used-twice", [3]int{68, 0, 0}, 70},
	{"31-fk-lock-then-for-update", [3]int{40, 68, 68}, 70},
	{"33-share-lock-upgrade", [3]int{40, 68, 68}, 70},
	{"35-retry-missing-after-raising-isolation", [3]int{0, 68, 68}, 70},
	{"37-archive-races-with-new-child", [3]int{18, 18, 0}, 20},
	{"39-reset-token-used-twice", [3]int{250, 0, 0}, 252},
	{"41-lease-judged-by-a-skewed-clock", [3]int{35, 1, 1}, 70},
	{"43-hold-expires-while-being-paid", [3]int{15, 0, 0}, 20},
	{"51-upsert-with-a-stale-total", [3]int{68, 0, 0}, 70},
	{"55-deleted-and-inserted-again", [3]int{18, 0, 0}, 20},
	{"57-total-from-a-stale-subquery", [3]int{12, 0, 0}, 20},
	{"59-cascade-takes-a-new-row", [3]int{15, 0, 0}, 20},
	{"61-advisory-lock-after-the-snapshot", [3]int{0, 68, 0}, 70},
	{"63-checked-in-another-transaction", [3]int{68, 8, 8}, 70},
	{"65-report-of-two-moments", [3]int{3, 0, 0}, 35},
	{"67-the-lock-of-another-table", [3]int{68, 0, 0}, 70},
}

// tree is what an exploration went through, to be walked again without a server.
type tree struct {
	points map[string]point
	broken map[string]bool
	names  []string
}

func newTree(names []string) *tree {
	return &tree{points: map[string]point{}, broken: map[string]bool{}, names: names}
}

func (t *tree) add(trace []point, broken bool) {
	var s Schedule
	for _, p := range trace {
		p.steps = nil
		t.points[s.Text(t.names)] = p
		s = append(s, p.chosen)
	}
	t.broken[s.Text(t.names)] = broken
}

// walk follows an order of letters as the other runner did: a lane that waits
// keeps its letters for when it is let go, and at the end the lanes run to theirs.
func (t *tree) walk(order []int) (broken bool) {
	var s Schedule
	kept := make([]int, len(t.names))
	last := 0
	step := func(c Choice) { s, last = append(s, c), c.Lane }
	for {
		p, more := t.points[s.Text(t.names)]
		if !more {
			return t.broken[s.Text(t.names)]
		}
		if p.options[0].Victim {
			step(p.options[0])
			continue
		}
		if i := slices.IndexFunc(p.options, func(c Choice) bool { return kept[c.Lane] > 0 }); i >= 0 {
			kept[p.options[i].Lane]--
			step(p.options[i])
			continue
		}
		if len(order) == 0 {
			if c := (Choice{Lane: last}); slices.Contains(p.options, c) {
				step(c)
			} else {
				step(p.options[0])
			}
			continue
		}
		lane := order[0]
		order = order[1:]
		if c := (Choice{Lane: lane}); slices.Contains(p.options, c) {
			step(c)
		} else if p.waiting&(1<<lane) != 0 {
			kept[lane]++
		}
	}
}

// mixes are all orders of so many letters of each lane.
func mixes(left []int) [][]int {
	var all [][]int
	var grow func(order []int)
	grow = func(order []int) {
		done := true
		for lane := range left {
			if left[lane] > 0 {
				done = false
				left[lane]--
				grow(append(order, lane))
				left[lane]++
			}
		}
		if done {
			all = append(all, slices.Clone(order))
		}
	}
	grow(nil)
	return all
}

// stepsOf counts the steps of a lane's script.
func stepsOf(a *scenario.Actor) (n int) {
	for _, st := range a.Script.Stmts {
		if v := sqltext.Verb(st.SQL); v != "begin" && v != "rollback" {
			n++
		}
	}
	return n
}

// Every case gets the verdict that is known, at all three levels, before and
// after its fix.
func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := pgtest.Config(t)
			sc := open(t, "../scenario/testdata/cases/"+c.name)
			fixed, err := sc.Variant("fixed")
			if err != nil {
				t.Fatal(err)
			}
			for i, level := range levels {
				if c.of > 0 || i == 0 { // three lanes have thousands of schedules
					caseAt(t, cfg, sc, level, c.broken[i], c.of)
					caseAt(t, cfg, fixed, level, 0, 0)
				}
				reducedAt(t, cfg, sc, level, c.broken[i] > 0)
				reducedAt(t, cfg, fixed, level, false)
			}
		})
	}
}

func caseAt(t *testing.T, cfg *pgconn.Config, sc *scenario.Scenario, level scenario.Isolation, broken, of int) {
	t.Helper()
	lanes := actors(sc)
	var left []int
	for i := range sc.Actors {
		left = append(left, stepsOf(&sc.Actors[i]))
	}
	seen := newTree(Names(lanes))
	n, path := exploredIn(t, cfg, sc, lanes, level, func(o *Options) { o.trace = seen.add })
	what := fmt.Sprintf("%-50s %-15s", sc.FullName(), level)
	if (n.Broken > 0) != (broken > 0) || !n.Whole || n.Missed > 0 {
		t.Errorf("%s: %d of %d schedules break, whole %v, missed %d; want some: %v", what, n.Broken, n.Schedules, n.Whole, n.Missed, broken > 0)
	}
	if found := judged(t, path, true); (len(found) > 0) != (broken > 0) {
		t.Errorf("%s: %d findings: %+v", what, len(found), found)
	}
	if found := judged(t, path, false); len(found) > 0 && broken == 0 {
		t.Errorf("%s: without claims: %s", what, found[0].Message)
	}
	if of == 0 {
		t.Logf("%s %4d of %4d schedules break (steps %v)", what, n.Broken, n.Schedules, left)
		return
	}
	orders := mixes(left)
	got := 0
	for _, order := range orders {
		if seen.walk(order) {
			got++
		}
	}
	t.Logf("%s %4d of %4d schedules break, %3d of %3d orders; known: %d of %d; first: %s", what, n.Broken, n.Schedules, got, len(orders), broken, of, n.First.Text(seen.names))
	if got != broken || len(orders) != of {
		t.Errorf("%s: %d of %d orders break, known are %d of %d", what, got, len(orders), broken, of)
	}
}

// reducedAt leaves out what cannot differ, and must come to the same verdict.
func reducedAt(t *testing.T, cfg *pgconn.Config, sc *scenario.Scenario, level scenario.Isolation, broken bool) {
	t.Helper()
	n, path := exploredIn(t, cfg, sc, actors(sc), level, func(o *Options) { o.Commute = commute })
	t.Logf("%-50s %-15s %4d of %4d schedules break, %d left out; first: %s", sc.FullName(), level, n.Broken, n.Schedules, n.Skipped, n.First.Text(Names(actors(sc))))
	if (n.Broken > 0) != broken || !n.Whole || n.Missed > 0 {
		t.Errorf("%s %s: with schedules left out %d of %d break, missed %d; want some: %v", sc.FullName(), level, n.Broken, n.Schedules, n.Missed, broken)
	}
	if found := judged(t, path, true); (len(found) > 0) != broken {
		t.Errorf("%s %s: with schedules left out: %d findings", sc.FullName(), level, len(found))
	}
}

func commute(h *history.Header) func(a, b Access) bool {
	c := serial.NewCommuter(h)
	return func(a, b Access) bool { return c.Steps(stepOf(a), stepOf(b)) }
}

func stepOf(a Access) serial.Step {
	s := serial.Step{Stmt: a.Stmt, Args: a.Args, First: a.First, Alone: a.Alone}
	for _, in := range a.Inside {
		s.Inside = append(s.Inside, stepOf(in))
	}
	return s
}

// judged are the findings of the serial-equivalence judge, with the claims of
// the scenario or without.
func judged(t *testing.T, path string, claims bool) (findings []report.Finding) {
	t.Helper()
	f, err := history.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	h := *f.Header
	if !claims {
		h.Claims = nil
	}
	err = serial.Checker.Run(&check.Pass{
		Header: &h, Ops: f.Ops,
		Report:   func(f report.Finding) { findings = append(findings, f) },
		Unknown:  func(reason string) { t.Errorf("unknown: %s", reason) },
		Evidence: func(report.Evidence) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return findings
}
