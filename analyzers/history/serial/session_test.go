package serial

import (
	"iter"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// guarded is an exploration of two requests that take a lock before they look and
// write, in one order.
func guarded(lock, unlock, within string) string {
	one := func(lane string) string {
		text := lane + " calls spend\n"
		if within != "" {
			text += lane + ": BEGIN\n"
		}
		text += lane + ": " + lock + " => SELECT 1\n" + lane + ": UPDATE purse SET cents = cents - 1 WHERE id = 1 => UPDATE 1\n" + lane + ": " + unlock + " => SELECT 1\n"
		if within != "" {
			text += lane + ": COMMIT\n"
		}
		return text + lane + " ends accepted\n"
	}
	var b strings.Builder
	b.WriteString("table purse: id integer key, cents integer\nactor spend\n")
	for _, round := range []string{"serial a b", "repeated a b", "serial b a", "repeated b a", "schedule a b"} {
		first, second := "A", "B"
		if strings.HasSuffix(round, "b a") {
			first, second = "B", "A"
		}
		b.WriteString("reset\n" + one(first) + one(second) + "state purse added => id, cents: 1, 3\ncheck round " + round + " =>\n")
	}
	return b.String() + "check round ended 1 schedules =>\n"
}

// A lock of a session through a pool is no proof that requests keep out of each
// other's way; a lock of the transaction is.
func TestSessionLock(t *testing.T) {
	tests := []struct {
		name, lock, unlock, within string
		http, unknown              bool
	}{
		{name: "through the pool", lock: "SELECT pg_advisory_lock(1)", unlock: "SELECT pg_advisory_unlock(1)", http: true, unknown: true},
		{name: "without waiting", lock: "select pg_try_advisory_lock($1, $2) | 1, 2", unlock: "select pg_advisory_unlock($1, $2) | 1, 2", http: true, unknown: true},
		{name: "in a transaction", lock: "SELECT pg_advisory_lock(1)", unlock: "SELECT pg_advisory_unlock(1)", within: "x", http: true},
		{name: "of the transaction", lock: "SELECT pg_advisory_xact_lock(1)", unlock: "SELECT 1", within: "x", http: true},
		{name: "in a script, which has a session of its own", lock: "SELECT pg_advisory_lock(1)", unlock: "SELECT pg_advisory_unlock(1)"},
	}
	for _, tt := range tests {
		f := historytest.Read(t, guarded(tt.lock, tt.unlock, tt.within))
		f.Header.Probe = probe
		f.Header.Params = append(f.Header.Params, history.Parameter{Name: "lanes", Value: "a b"})
		if tt.http {
			f.Header.Actors[0].HTTP = "POST /spend"
		}
		var unknown []string
		err := Checker.Run(&check.Pass{
			Header: f.Header, Ops: func() iter.Seq2[*history.Op, error] { return rounds(f.Ops()) },
			Report:  func(report.Finding) { t.Errorf("%s: accused", tt.name) },
			Unknown: func(s string) { unknown = append(unknown, s) }, Evidence: func(report.Evidence) {},
		})
		if told := strings.Join(unknown, "\n"); err != nil || tt.unknown != strings.Contains(told, "locks for the session") || !tt.unknown && told != "" {
			t.Errorf("%s: %v %q", tt.name, err, told)
		}
	}
}
