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
	slope      float64 // of the last half, per round of work (Theil and Sen)
	err        float64 // its 95 % half-width
	since      int     // the snapshot from which on it is flat; for bounded
	why        string  // why it is growing and no leak
	slows      bool    // since its steps become smaller
	large      bool    // since its bytes grow, and not its number
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

// axis is how much work was done at each point since the first. The last steps of
// a watch that was made longer have more work in them than the others.
type axis []float64

// evenly is the axis of n points with the same work between any two.
func evenly(n int) axis {
	at := make(axis, n)
	for i := range at {
		at[i] = float64(i)
	}
	return at
}

// tolerance is how far an exact count may be off without meaning anything: the
// snapshot itself and the garbage collector make a few objects, and a class may
// come and go by more. What it scatters about its own line tells.
func (at axis) tolerance(last []float64) float64 {
	slope, _ := at.theilSen(last)
	rest := make([]float64, len(last))
	for i, x := range last {
		rest[i] = x - slope*at[i]
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

// judge judges a row of exact counts.
func (at axis) judge(counts []float64) trend {
	n := len(counts)
	if n < 2 {
		return trend{verdict: report.Noise}
	}
	last, late := counts[half(n):], at[half(n):]
	tol := late.tolerance(last)
	t := trend{}
	t.slope, t.err = late.theilSen(last)
	if n < enough {
		return at.tooFew(t, counts, tol)
	}
	grown := last[len(last)-1] - last[0]
	switch {
	case grown <= tol || at.stopped(counts):
		return flat(t, counts, tol)
	case !late.steady(last):
		t.verdict, t.why = report.Growing, "it does not go up in every snapshot"
		if before := slices.Max(counts[:half(n)]); counts[n-1] <= before+max(4, 0.1*before) {
			t.verdict = report.Noise
		}
		return t
	case at.slowing(counts):
		t.verdict, t.slows, t.why = report.Growing, true, "it grows by less and less, as a cache that fills does"
		return t
	}
	t.verdict, t.confidence = report.Leak, "medium"
	if n > enough && late.even(last) {
		t.confidence = "high"
	}
	return t
}

// tooFew judges fewer snapshots than a trend needs.
func (at axis) tooFew(t trend, counts []float64, tol float64) trend {
	t.slope, t.err = at.theilSen(counts)
	t.verdict = report.Noise
	if at.grows(counts, tol) {
		t.verdict, t.why = report.Growing, "fewer than five snapshots cannot tell a leak from a cache that warms up"
	}
	return t
}

func (at axis) grows(counts []float64, tol float64) bool {
	for _, d := range at.steps(counts) {
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
// largest one, or the last one alone, where it has a good part of all the work.
func (at axis) stopped(counts []float64) bool {
	from := settled(len(counts))
	d := at[from:].steps(counts[from:])
	n := len(d)
	top := slices.Max(d)
	k := len(at) - 1
	if long := at[k] - at[k-1]; n >= 4 && long > 1 && 4*long >= at[k] && d[n-1] <= max(0.02*top, 4/long) {
		return true
	}
	most := max(1, 0.25*top)
	return n >= 2 && d[n-1] <= most && d[n-2] <= most
}

// steady reports whether it goes up all the time: no step down, and none much
// smaller than the others, the last least of all.
func (at axis) steady(last []float64) bool {
	d := at.steps(last)
	n := len(last)
	mean := (last[n-1] - last[0]) / (at[n-1] - at[0])
	for _, x := range d {
		if x < 0.25*mean {
			return false
		}
	}
	return d[len(d)-1] >= 0.4*mean
}

// slowing reports whether growth dies away: the steps of the last half are much
// smaller than those before, each is smaller than the one before it, or a long
// last one is.
func (at axis) slowing(counts []float64) bool {
	n := len(counts)
	d := at[settled(n):].steps(counts[settled(n):])
	if len(d) < 4 {
		d = at.steps(counts)
	}
	mid := len(d) - (n - 1 - half(n))
	early, late := mean(d[:mid]), mean(d[mid:])
	if early <= 0 {
		return false
	}
	if last := len(d) - 1; at[n-1]-at[n-2] > 1 && d[last] < 0.75*median(d[:last]) {
		return true // the step with the most work says the most
	}
	if halts(d) {
		return true
	}
	return late < 0.6*early || falls(d) && late < 0.9*early
}

// falls reports whether steps become smaller all the time, or nearly so: of all pairs
// of them four in five at least have the larger one before the smaller (Mann 1945,
// Kendall 1948).
func falls(d []float64) bool {
	down, pairs := 0, 0
	for i := range d {
		for k := i + 1; k < len(d); k++ {
			pairs++
			if d[k] < d[i] {
				down++
			}
		}
	}
	return pairs > 0 && 5*down >= 4*pairs
}

// even reports whether all steps are about the same.
func (at axis) even(last []float64) bool {
	d := at.steps(last)
	m := mean(d)
	for _, x := range d {
		if math.Abs(x-m) > 0.2*m {
			return false
		}
	}
	return true
}

// halts reports whether the last step is smaller than those before by far more than
// they differ: a cache of so many keys that has most of them.
func halts(d []float64) bool {
	last := len(d) - 1
	before := median(d[:last])
	spread := 0.0
	for _, x := range d[:last] {
		spread = max(spread, math.Abs(x-before))
	}
	return d[last] < 0.75*before && before-d[last] > 3*spread
}

// steps are the differences between neighbours, by unit of work.
func (at axis) steps(counts []float64) []float64 {
	var d []float64
	for i := 1; i < len(counts); i++ {
		d = append(d, (counts[i]-counts[i-1])/(at[i]-at[i-1]))
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
func (at axis) theilSen(v []float64) (slope, halfWidth float64) {
	var all []float64
	for i := range v {
		for k := i + 1; k < len(v); k++ {
			all = append(all, (v[k]-v[i])/(at[k]-at[i]))
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	quantile := func(q float64) float64 { return all[int(q*float64(len(all)-1)+0.5)] }
	return quantile(0.5), (quantile(0.95) - quantile(0.05)) / 2
}
