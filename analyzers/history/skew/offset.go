package skew

import (
	"fmt"
	"math"
	"regexp"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
)

// slew is by how much two clocks that nobody sets may run apart: the most that
// NTP corrects by, 500 ppm.
const slew = 500e-6

// bound is where an offset is for certain.
type bound struct{ low, high time.Duration }

func (b bound) empty() bool            { return b.low > b.high }
func (b bound) middle() time.Duration  { return b.low + (b.high-b.low)/2 }
func (b bound) breadth() time.Duration { return (b.high - b.low) / 2 }

// meet is the intersection of the readings, each widened by what the clocks may
// run apart until its end.
func meet(all []reading) bound {
	at := all[len(all)-1].at
	b := bound{math.MinInt64, math.MaxInt64}
	for _, r := range all {
		apart := time.Duration(float64(at-r.at) * slew)
		b.low, b.high = max(b.low, r.low-apart), min(b.high, r.high+apart)
	}
	return b
}

// drift is how fast the clock runs away, in ppm, with its error: from the first
// and the last third.
func (s *source) drift() (ppm, err float64, ok bool) {
	n := len(s.readings) / 3
	if n < 2 {
		return 0, 0, false
	}
	first, last := meet(s.readings[:n]), meet(s.readings[len(s.readings)-n:])
	span := s.readings[len(s.readings)-1].at - s.readings[n-1].at
	if first.empty() || last.empty() || span <= 0 {
		return 0, 0, false
	}
	ppm = float64(last.middle()-first.middle()) / float64(span) * 1e6
	err = float64(last.breadth()+first.breadth()) / float64(span) * 1e6
	return ppm, err, true
}

// setLimit is what the wall clock may differ from the monotonic one when nobody
// sets it, beside the slew: the time between two lines of the probe.
const setLimit = 100 * time.Millisecond

// set is by how much this machine's wall clock was set in the middle, 0 for not
// at all.
func (r *record) set() time.Duration {
	for _, s := range r.sources {
		first := s.readings[0]
		for _, x := range s.readings[1:] {
			moved := (x.wall - first.wall) - (x.at - first.at)
			if moved.Abs() > setLimit+time.Duration(float64(x.at-first.at)*slew) {
				return moved
			}
		}
	}
	return 0
}

// offsets judges the clocks.
func (j *judgement) offsets() {
	for _, s := range j.r.sources {
		b := meet(s.readings)
		switch {
		case b.empty():
			j.reason("the readings of %s contradict each other: it was set during the run, or several machines answer there", s.name)
		case b.low > j.tolerance || b.high < -j.tolerance:
			j.add(offsetFinding(s, b, j.tolerance))
		case b.low < -j.tolerance || b.high > j.tolerance:
			j.reason("the clock of %s is %s: the error is too great to say that it is within %s; read it for longer, or allow more with --tolerance", s.name, spoken(b), j.tolerance)
		}
	}
}

func offsetFinding(s *source, b bound, tolerance time.Duration) report.Finding {
	first, last := s.readings[0], s.readings[len(s.readings)-1]
	return report.Finding{
		Severity: report.Medium, Claim: claimOffset, Anomaly: "clock skew", Count: len(s.readings), First: first.at, Last: last.at,
		Message: fmt.Sprintf("the clock of %s is %s, beyond %s: what compares a time of one with a time of the other decides by that", s.name, spoken(b), tolerance),
		Why:     fmt.Sprintf("Each of %d readings bounds the offset for certain, by when the question was sent and the answer came; all of them together leave %s to %s.", len(s.readings), b.low.Round(time.Microsecond), b.high.Round(time.Microsecond)),
		Fixes: []report.Fix{
			{Kind: report.Atomic, Title: "Compare times of one clock alone, that of the database, in the statement that decides", SQL: "UPDATE lease SET holder = $1, until = clock_timestamp() + $2::interval WHERE name = $3 AND until < clock_timestamp()"},
			{Kind: report.Constraint, Title: "Keep the clocks together: chrony or systemd-timesyncd on both machines, and an alarm on the offset", Note: "that makes the difference small, and never nothing: what must be right must not compare two clocks"},
		},
	}
}

// spoken is an offset with its error, as people say it.
func spoken(b bound) string {
	m := b.middle()
	word := "ahead of"
	if m < 0 {
		word = "behind"
	}
	return fmt.Sprintf("%s (± %s) %s this machine's", brief(m.Abs()), brief(b.breadth()), word)
}

// zeros are the units of a time that say nothing: those of 1h0m0s behind the h.
var zeros = regexp.MustCompile(`([hm])(0m)?0s$`)

// brief is a time with three digits or so.
func brief(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return zeros.ReplaceAllString(d.Round(time.Second).String(), "$1")
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Microsecond).String()
}
