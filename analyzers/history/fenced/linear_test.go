package fenced

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/probes/history"
)

// The search alone tells the right locks from the wrong ones, whatever simpler
// looks find first.
func TestLinearizable(t *testing.T) {
	want := map[string]porcupine.CheckResult{
		"clean": porcupine.Ok, "late-write": porcupine.Ok, "token": porcupine.Ok, "expired-in-time": porcupine.Ok,
		"never-over": porcupine.Ok, "lost-answer": porcupine.Ok, "leader-session": porcupine.Ok, "leader-clean": porcupine.Ok,
		"two-owners": porcupine.Illegal, "stranger-renew": porcupine.Illegal, "stranger-release": porcupine.Illegal,
		"leader-session-two": porcupine.Illegal,
	}
	for name, result := range want {
		lines, err := os.ReadFile("testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		r, err := collect(historytest.Read(t, string(lines)).Ops())
		if err != nil {
			t.Fatal(err)
		}
		if got := r.linearizable(); got != result {
			t.Errorf("%s: %v, want %v", name, got, result)
		}
	}
}

// crowd is a history of lanes that take and give back leases in turn; every
// second acquisition is refused.
func crowd(pairs, names, lanes int) *record {
	r := &record{byNumber: map[int64]*grant{}, byName: map[string][]*grant{}}
	at := time.Duration(0)
	for i := range pairs {
		name, lane := fmt.Sprint("load-", i%names), i%lanes
		do := func(what string, grant int64, outcome history.Outcome) {
			at += 20 * time.Microsecond
			r.add(&call{what: what, lane: lane, start: at - 15*time.Microsecond, end: at + 15*time.Microsecond, outcome: outcome, name: name, grant: grant, ttl: time.Minute, token: fmt.Sprint(i + 1)})
			at += 20 * time.Microsecond
		}
		do("acquire", int64(i+1), history.Accepted)
		do("acquire", 0, history.Refused)
		do("release", int64(i+1), history.Accepted)
	}
	r.index()
	return r
}

// BenchmarkLinearizable is the search over 100 000 accepted calls.
func BenchmarkLinearizable(b *testing.B) {
	for _, names := range []int{1, 8} {
		b.Run(fmt.Sprintf("names=%d", names), func(b *testing.B) {
			r := crowd(50_000, names, 16)
			for b.Loop() {
				if got := r.linearizable(); got != porcupine.Ok {
					b.Fatal(got)
				}
			}
		})
	}
}

// BenchmarkJudge is all that is judged on the same history.
func BenchmarkJudge(b *testing.B) {
	r := crowd(50_000, 8, 16)
	for b.Loop() {
		if j := r.judge(&history.Header{}); len(j.findings) > 0 {
			b.Fatal(j.findings[0].Message)
		}
	}
}
