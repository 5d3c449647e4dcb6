package scenario_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// cases are applications with one known concurrency bug each: an interleaving
// that breaks the invariant of the default version, and the isolation levels
// at which it does.
var cases = []struct {
	name     string
	schedule string // each letter lets that actor do its next statement
	breaks   []scenario.Isolation
}{
	{"01-wallet-absolute-write", "abaaabbb", []scenario.Isolation{scenario.ReadCommitted}},
	{"03-transfer-opposite-order", "abababab", []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable}},
	{"05-discount-counted-after-the-order", "abababab", []scenario.Isolation{scenario.ReadCommitted}},
	{"07-room-overlapping-ranges", "ababab", []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead}},
	{"09-lock-parent-then-look", "abaaabbb", []scenario.Isolation{scenario.RepeatableRead}},
	{"11-orm-saves-every-column", "abaaabbb", []scenario.Isolation{scenario.ReadCommitted}},
	{"13-last-admin-leaves", "ababab", []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead}},
	{"15-signup-without-unique-index", "ababab", []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead}},
	{"17-on-conflict-returns-nothing", "abaabb", []scenario.Isolation{scenario.ReadCommitted}},
	{"19-lock-the-last-invoice", "abaabb", []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead}},
	{"21-job-claim-in-one-statement", "ababab", []scenario.Isolation{scenario.ReadCommitted}},
	{"23-idempotency-key-stored-last", "abababab", []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable}},
	{"25-outbox-cursor-skips-a-commit", "abbccccacccc", []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable}},
	{"27-cron-fires-on-two-instances", "abababab", []scenario.Isolation{scenario.ReadCommitted}},
	{"29-refresh-token-used-twice", "abaaabbb", []scenario.Isolation{scenario.ReadCommitted}},
	{"31-fk-lock-then-for-update", "abababab", []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable}},
	{"33-share-lock-upgrade", "abababab", []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable}},
	{"35-retry-missing-after-raising-isolation", "abababab", []scenario.Isolation{scenario.RepeatableRead, scenario.Serializable}},
	{"37-archive-races-with-new-child", "ababab", []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead}},
	{"39-reset-token-used-twice", "ababababab", []scenario.Isolation{scenario.ReadCommitted}},
	{"41-lease-judged-by-a-skewed-clock", "aaaabbbb", []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable}},
	{"43-hold-expires-while-being-paid", "abbbaa", []scenario.Isolation{scenario.ReadCommitted}},
	{"51-upsert-with-a-stale-total", "abaaabbb", []scenario.Isolation{scenario.ReadCommitted}},
	{"55-deleted-and-inserted-again", "abaabb", []scenario.Isolation{scenario.ReadCommitted}},
	{"57-total-from-a-stale-subquery", "ababab", []scenario.Isolation{scenario.ReadCommitted}},
	{"59-cascade-takes-a-new-row", "abbbaa", []scenario.Isolation{scenario.ReadCommitted}},
	{"61-advisory-lock-after-the-snapshot", "abaaabbb", []scenario.Isolation{scenario.RepeatableRead}},
	{"63-checked-in-another-transaction", "abbbbaaa", []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable}},
	{"65-report-of-two-moments", "abbbaaa", []scenario.Isolation{scenario.ReadCommitted}},
	{"67-the-lock-of-another-table", "abaaabbb", []scenario.Isolation{scenario.ReadCommitted}},
}

func TestCasesAreAllListed(t *testing.T) {
	folders, err := os.ReadDir("testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range folders {
		if i >= len(cases) || cases[i].name != f.Name() {
			t.Fatalf("%s is not in the table", f.Name())
		}
	}
}

// Run one after the other the lanes are right at every level, except those of
// the skewed clock, which need no concurrency to go wrong.
func TestCasesHoldSerially(t *testing.T) {
	config := pgtest.Config(t)
	for _, c := range cases {
		for _, s := range versions(t, open(t, "testdata/cases/"+c.name)) {
			for _, level := range levels {
				t.Run(s.FullName()+"/"+string(level), func(t *testing.T) {
					st := newStage(t, config, s, level)
					for i := range s.Actors {
						st.call(&s.Actors[i], i)
					}
					skewed := strings.HasPrefix(c.name, "41-") && s.Version == ""
					if found := st.violations(); (len(found) > 0) != skewed {
						t.Errorf("violations after a serial run: %q", found)
					}
				})
			}
		}
	}
}

// Positive control: under its schedule the default version breaks exactly
// where it is known to, and the fixed one nowhere.
func TestCasesBreakUnderTheirSchedule(t *testing.T) {
	config := pgtest.Config(t)
	for _, c := range cases {
		for _, s := range versions(t, open(t, "testdata/cases/"+c.name)) {
			for _, level := range levels {
				t.Run(s.FullName()+"/"+string(level), func(t *testing.T) {
					st := newStage(t, config, s, level)
					var lanes []*lane
					for i := range s.Actors {
						lanes = append(lanes, st.lane(&s.Actors[i], i, i))
					}
					st.play(lanes, c.schedule)
					want := s.Version == "" && slices.Contains(c.breaks, level)
					if found := st.violations(); (len(found) > 0) != want {
						t.Errorf("violations: %q, want some: %v", found, want)
					}
				})
			}
		}
	}
}

func open(t *testing.T, name string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
