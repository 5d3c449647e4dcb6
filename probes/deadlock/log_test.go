package deadlock

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a server of PostgreSQL 15 logs of two deadlocks, as lines and as CSV.
func TestDeadlocksIn(t *testing.T) {
	const lines = `2026-01-01 00:00:00 UTC [11] LOG:  statement: begin
2026-01-01 00:00:01 UTC [11] ERROR:  deadlock detected
2026-01-01 00:00:01 UTC [11] DETAIL:  Process 11 waits for ShareLock on transaction 5; blocked by process 12.
	Process 12 waits for ShareLock on transaction 4; blocked by process 11.
	Process 11: update account set balance = 2 where id = 2
	Process 12: update account set balance = 2 where id = 1
2026-01-01 00:00:01 UTC [11] HINT:  See server log for query details.
`
	first := strings.Join([]string{
		"Process 11 waits for ShareLock on transaction 5; blocked by process 12.",
		"Process 12 waits for ShareLock on transaction 4; blocked by process 11.",
		"Process 11: update account set balance = 2 where id = 2",
		"Process 12: update account set balance = 2 where id = 1",
	}, "\n")
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"none":      {"2026-01-01 LOG:  checkpoint starting: time\n", nil},
		"one":       {lines, []string{first}},
		"two":       {lines + lines, []string{first, first}},
		"cut short": {lines[:strings.Index(lines, "DETAIL")], []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, deadlocksIn(tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Whatever the log holds, each report is told once and nothing is made up.
func FuzzDeadlocksIn(f *testing.F) {
	f.Add("deadlock detected\nProcess 1 waits\n")
	f.Add("deadlock detecteddeadlock detected")
	f.Fuzz(func(t *testing.T, text string) {
		list := deadlocksIn(text)
		if want := strings.Count(text, "deadlock detected"); len(list) != want {
			t.Fatalf("%d reports of %d", len(list), want)
		}
		for _, report := range list {
			for line := range strings.Lines(report) {
				if !strings.Contains(text, strings.TrimSpace(line)) {
					t.Fatalf("%q is not in the log", line)
				}
			}
		}
	})
}
