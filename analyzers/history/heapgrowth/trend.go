package heapgrowth

import (
	"math"
	"slices"

	"github.com/ccheck/ccheck/analyzers/report"
)

// enough is the least number of snapshots with which anything is called a leak:
// with fewer, the last half has two points, and any two points are a line.
const enough = 5

// trend is what a row of counts does.
type trend struct {
	verdict    report.GrowthVerdict
	confidence string
	slope      float64 // of the last half, per snapshot (Theil and Sen)
	err        float64 // its 95 % half-width
	since      int     // the snapshot from which on it is flat; for bounded
	why        string  // why it is growing and no leak
}

// half is where the last half begins.
func half(n int) int { return n / 2 }

// settled is the first snapshot that is not warm-up.
func settled(n int) int {
	if n < enough {
		return 0
	}
	return 1
}

// tolerance is how far an exact count may be off without meaning anything: the
// snapshot itself and the garbage collector make a few objects, and a class may
// come and go by more. What it scatters about its own line tells.
func tolerance(last []float64) float64 {
	slope, _ := theilSen(last)
	rest := make([]float64, len(last))
	for i, x := range last {
		rest[i] = x - slope*float64(i)
	}
	middle := median(rest)
	for i, x := range rest {
		rest[i] = math.Abs(x - middle)
	}
	return max(4, 3*median(rest))
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// judgeCounts judges a row of exact counts.
func judgeCounts(counts []float64) trend {
	n := len(counts)
	if n < 2 {
		return trend{verdict: report.Noise}
	}
	last := counts[half(n):]
	tol := tolerance(last)
	t := trend{}
	t.slope, t.err = theilSen(last)
	if n < enough {
		return tooFew(t, counts, tol)
	}
	grown := last[len(last)-1] - last[0]
	switch {
	case grown <= tol || stopped(counts):
		return flat(t, counts, tol)
	case !steady(last, tol):
		t.verdict, t.why = report.Growing, "it does not go up in every snapshot"
		if before := slices.Max(counts[:half(n)]); counts[n-1] <= before+max(4, 0.1*before) {
			t.verdict = report.Noise
		}
		return t
	case slowing(counts):
		t.verdict, t.why = report.Growing, "each step is smaller than the one before, as a cache that fills does"
		return t
	}
	t.verdict, t.confidence = report.Leak, "medium"
	if n > enough && even(last) {
		t.confidence = "high"
	}
	return t
}

// tooFew judges fewer snapshots than a trend needs.
func tooFew(t trend, counts []float64, tol float64) trend {
	t.slope, t.err = theilSen(counts)
	t.verdict = report.Noise
	if grows(counts, tol) {
		t.verdict, t.why = report.Growing, "fewer than five snapshots cannot tell a leak from a cache that warms up"
	}
	return t
}

func grows(counts []float64, tol float64) bool {
	for _, d := range steps(counts) {
		if d < 0 {
			return false
		}
	}
	return counts[len(counts)-1]-counts[0] > tol
}

// flat tells what grew and stopped from what never grew.
func flat(t trend, counts []float64, tol float64) trend {
	n := len(counts)
	end := counts[n-1]
	t.verdict = report.Noise
	if slices.Max(counts)-counts[0] > max(tol, 0.1*counts[0]) {
		t.verdict = report.Bounded
	}
	for t.since = n - 1; t.since > 0 && math.Abs(counts[t.since-1]-end) <= tol; t.since-- {
	}
	return t
}

// stopped reports whether the last two steps are next to nothing beside the
// largest one.
func stopped(counts []float64) bool {
	d := steps(counts[settled(len(counts)):])
	n := len(d)
	most := max(1, 0.25*slices.Max(d))
	return n >= 2 && d[n-1] <= most && d[n-2] <= most
}

// steady reports whether it goes up all the time: no step down, and none much
// smaller than the others, the last least of all.
func steady(last []float64, tol float64) bool {
	d := steps(last)
	mean := (last[len(last)-1] - last[0]) / float64(len(d))
	for _, x := range d {
		if x < 0.25*mean {
			return false
		}
	}
	return d[len(d)-1] >= 0.4*mean
}

// slowing reports whether growth dies away: the steps of the last half are much
// smaller than those before, or each is smaller than the one before it.
func slowing(counts []float64) bool {
	n := len(counts)
	d := steps(counts[settled(n):])
	if len(d) < 4 {
		d = steps(counts)
	}
	mid := len(d) - (n - 1 - half(n))
	early, late := mean(d[:mid]), mean(d[mid:])
	if early <= 0 {
		return false
	}
	falls := true
	for i := 1; i < len(d); i++ {
		falls = falls && d[i] < d[i-1]
	}
	return late < 0.6*early || falls && late < 0.9*early
}

// even reports whether all steps are about the same.
func even(last []float64) bool {
	d := steps(last)
	m := mean(d)
	for _, x := range d {
		if math.Abs(x-m) > 0.2*m {
			return false
		}
	}
	return true
}

func steps(counts []float64) []float64 {
	var d []float64
	for i := 1; i < len(counts); i++ {
		d = append(d, counts[i]-counts[i-1])
	}
	return d
}

func mean(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// theilSen is the median of the slopes between all pairs (Theil 1950, Sen 1968):
// one odd snapshot does not move it. The half-width is that of their middle nine
// tenths.
func theilSen(v []float64) (slope, halfWidth float64) {
	var all []float64
	for i := range v {
		for k := i + 1; k < len(v); k++ {
			all = append(all, (v[k]-v[i])/float64(k-i))
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	at := func(q float64) float64 { return all[int(q*float64(len(all)-1)+0.5)] }
	return at(0.5), (at(0.95) - at(0.05)) / 2
}
