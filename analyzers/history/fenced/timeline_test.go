package fenced

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/analyzers/report"
)

// drawing is a time line as text, in milliseconds.
func drawing(t *report.Timeline) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", strings.Split(t.Title, ",")[0])
	for _, row := range t.Rows {
		fmt.Fprintf(&b, "%s:", row.Name)
		for _, s := range row.Spans {
			fmt.Fprintf(&b, " %s %d-%d", s.Kind, s.From/time.Millisecond, s.To/time.Millisecond)
		}
		for _, m := range row.Marks {
			fmt.Fprintf(&b, " %d %s", m.At/time.Millisecond, m.Text)
		}
		fmt.Fprintf(&b, " (%s)\n", row.Note)
	}
	return b.String()
}

func TestTimeline(t *testing.T) {
	tests := map[string]struct{ lines, want string }{
		"an answer that never came is no refusal": {`
			param ttl 20ms
			A calls acquire
			A ends accepted name=job token=1 grant=1 ttl=2
			A is paused
			B calls acquire
			B ends accepted name=job token=2 grant=2 ttl=20
			B calls write
			B ends unknown name=job token=2 grant=2 key=k value=B1
			A is resumed
			A calls write
			A ends refused name=job token=1 grant=1 key=k value=A1`, `who holds the lease
A: holds 2-3 believes 3-10 paused 3-8 (acts until 7ms after its deadline)
B: holds 5-10 ()
writes: 7 B1? 10 A1- (+ taken, - refused, ? no answer; tokens A 1, B 2)
`},
		"a session that is cut off holds its lock until a rival has it": {`
			param probe leader
			A calls acquire
			A ends accepted name=leader token=1 grant=1 ttl=-1
			A is paused
			A is cut off
			A is resumed
			A calls fire
			A ends accepted name=leader token=1 grant=1 tick=1
			B calls acquire
			B ends accepted name=leader token=2 grant=2 ttl=-1
			A calls fire
			A ends accepted name=leader token=1 grant=1 tick=2`, `who leads
A: holds 2-8 believes 8-11 paused 3-5 (acts until 3ms after its session had ended)
B: holds 9-11 ()
jobs: 7 A:1+ 11 A:2+ (+ taken, - refused; tokens A 1, B 2)
`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := historytest.Read(t, tt.lines)
			h := *f.Header
			h.Probe = leases
			if p := h.Param("probe"); p != "" {
				h.Probe = p
			}
			if got := drawing(Timeline(&h, f.Ops())); got != tt.want {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}
