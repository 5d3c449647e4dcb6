package series

import (
	"slices"
	"time"
)

// Pauses are the stops for garbage collection between the previous point and
// this one.
type Pauses struct {
	Source        string // where they are from: "runtime.MemStats", "perf_hooks"; "" where nobody tells
	Count         int64
	Total         time.Duration
	P50, P99, Max time.Duration
	// Share is the part of the time since the previous point that was spent in
	// pauses, from 0 to 1, and CPU the collector's part of the CPU time, 0 where it is
	// not known.
	Share, CPU float64
	// Scan is how many bytes a collection has to look at, 0 where it is not known:
	// a leak shows there first. Full is what a full collection of V8 took, on the
	// average.
	Scan int64
	Full time.Duration
	// Limited says that Go's limiter of the collector's CPU time was at work.
	Limited bool
	// Lost are pauses that the process no longer remembers one by one; Spans are the
	// others.
	Lost  int64
	Spans []Span
}

// Span is something that took time, by the clock of the machine: a pause, or a
// call.
type Span struct {
	At   time.Time
	Took time.Duration
	Full bool // of V8: the whole heap was collected
}

// SumPauses says what pauses come to, over the time in which they were.
func SumPauses(source string, spans []Span, took time.Duration) Pauses {
	p := Pauses{Source: source, Count: int64(len(spans)), Spans: spans}
	if len(spans) == 0 {
		return p
	}
	var all []time.Duration
	var full time.Duration
	fulls := 0
	for _, s := range spans {
		all = append(all, s.Took)
		p.Total += s.Took
		if s.Full {
			full += s.Took
			fulls++
		}
	}
	if fulls > 0 {
		p.Full = full / time.Duration(fulls)
	}
	slices.Sort(all)
	p.P50, p.P99, p.Max = all[len(all)/2], all[(len(all)*99)/100], all[len(all)-1]
	if took > 0 {
		p.Share = float64(p.Total) / float64(took)
	}
	return p
}
