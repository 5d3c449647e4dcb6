package heapgrowth

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// goroutines judges a group of goroutines, by exact count.
func (j *judge) goroutines(r *series.Row) report.Growth {
	t := j.axis().judge(counts(r))
	g := report.Growth{
		Verdict: t.verdict, Confidence: t.confidence, Name: r.Name, Unit: string(series.Goroutines), Slope: t.slope, Error: t.err,
		Allocated: calls(r.Stack), Kind: j.goroutineKind(r), Why: t.why,
	}
	n := len(r.Cells)
	for _, c := range r.Cells {
		g.Counts = append(g.Counts, c.Count)
	}
	grown := g.Counts[n-1] - g.Counts[settled(n)]
	g.Bytes = grown * stackBytes
	if all := j.grown(); all > 0 {
		g.Share = math.Min(1, math.Max(0, float64(grown*heapBytes)/float64(all)))
	}
	if g.Verdict == report.Leak && grown < 10 {
		g.Verdict, g.Why = report.Noise, ""
	}
	if g.Verdict == report.Leak {
		state := r.State
		if state == "" {
			state = "not at work"
		}
		g.Why = fmt.Sprintf("%s goroutines more in each of the last %d snapshots, all of them in %s (%s)", approx(t.slope, t.err), n-1-half(n), r.Name, state)
		if r.Leaked {
			g.Why += "; the runtime found nothing that could ever wake them"
		}
	}
	if g.Verdict == report.Bounded {
		g.Why = fmt.Sprintf("%d since snapshot %d of %d", g.Counts[n-1], t.since+1, n)
	}
	if g.Verdict == report.Leak && !r.Leaked {
		j.doubt(&g, j.written(r, 1))
	}
	return g
}

// What a goroutine costs at least: its stack and its descriptor (runtime.g); and
// how much of that is in the heap, with a channel, a closure, a sudog, a timer and
// what it works on, in up to a dozen objects; in up to a hundred with what is open beside it, and its other end.
const (
	stackBytes  = 2048 + 440
	heapBytes   = 440 + 256
	objectsEach = 12
	objectsOpen = 100
)

func (j *judge) goroutineKind(r *series.Row) string {
	in := func(parts ...string) bool {
		return slices.ContainsFunc(r.Stack, func(f series.Frame) bool {
			return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(f.Func, p) })
		})
	}
	switch {
	case in("net/http.(*persistConn)"):
		return body.name
	case in("time.(*Ticker)", "time.Tick") || j.waitsForTicker(r):
		return ticker.name
	case r.State == "sleep", r.State == "":
		return looping.name
	case r.State == "IO wait":
		return body.name
	}
	return blocked.name
}

// ofGoroutines is how many objects a round those goroutines account for that leak.
func (j *judge) ofGoroutines() float64 {
	sum := 0.0
	for _, g := range j.res.Heap.Growths {
		switch {
		case !leaksGoroutines(g):
		case g.Kind == query.name || g.Kind == body.name:
			sum += objectsOpen * g.Slope
		default:
			sum += objectsEach * g.Slope
		}
	}
	return sum
}
