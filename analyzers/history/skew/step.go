package skew

import (
	"fmt"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
)

// durations judges what was measured under a clock that was set. A duration
// below zero, or longer than the command ran, is wrong for certain.
func (j *judgement) durations() {
	after := 300 * time.Millisecond
	j.take("after", &after)
	for _, t := range j.r.timed {
		// What it takes to start and to end, and a hundredth for clocks of another make.
		slack := 20*time.Millisecond + t.took/100
		switch {
		case t.measured < 0 || t.measured > t.took+slack:
			j.add(report.Finding{
				Severity: report.Medium, Claim: claimStep, Anomaly: "duration by the wall clock", Count: 1, First: t.at, Last: t.at,
				Message: fmt.Sprintf("%s ran for %s, its clock was set by %s in the middle, and it measured %s", t.command, brief(t.took), brief(t.step), brief(t.measured)),
				Why:     "Two readings of a clock that is set in between differ by the step. A limit that is measured so ends at once, or never; a rate is below zero.",
				Fixes: []report.Fix{{
					Kind: report.Atomic, Title: "Measure durations on the monotonic clock",
					Note: "Go: time.Since on a time that kept its monotonic reading (not one that was stored, rounded or sent); Python: time.monotonic; Java: System.nanoTime; JavaScript: performance.now; PostgreSQL has none: measure in the client",
				}},
			})
		case t.measured <= t.took-after:
			j.reason("%s measured %s of the %s that it ran, so that its clock may have been set before it looked: nothing is said of it", t.command, brief(t.measured), brief(t.took))
		case t.step.Abs() < after:
			j.reason("the clock was set by %s, too little to be told from a slow start", brief(t.step))
		}
	}
}
