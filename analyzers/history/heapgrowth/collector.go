package heapgrowth

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// collector sums up what garbage collection cost over the whole watch; nil where
// the process did not tell.
func collector(s *series.Series) *report.Collector {
	n := len(s.Points)
	took := s.Points[n-1].At - s.Points[0].At
	spans := Pauses(s)
	c := &report.Collector{}
	lost, cpu := int64(0), 0
	for _, p := range s.Points {
		g := p.Pauses
		if g.Source != "" {
			c.Source = g.Source
		}
		c.Count += g.Count
		lost += g.Lost
		c.P50, c.P99, c.Max = max(c.P50, g.P50), max(c.P99, g.P99), max(c.Max, g.Max)
		c.Share += g.Share
		c.Limited = c.Limited || g.Limited
		if g.CPU > 0 {
			c.CPU += g.CPU
			cpu++
		}
	}
	if c.Source == "" {
		return nil
	}
	c.Share /= float64(max(n-1, 1))
	c.CPU /= float64(max(cpu, 1))
	if lost == 0 && len(spans) > 0 && took > 0 {
		all := series.SumPauses(c.Source, spans, took)
		c.P50, c.P99, c.Max, c.Share = all.P50, all.P99, all.Max, all.Share
	}
	scanned(c, s)
	c.Missing = missing(s, lost)
	switch {
	case len(s.Loads) == 0:
	case !s.Local:
		c.Missing = append(c.Missing, "the process is of another machine, and its clock is not that of the load: pauses are not laid beside the calls")
	default:
		c.Stalls = Stalls(spans, s.Loads)
	}
	return c
}

// scanned says how the work of one collection grew.
func scanned(c *report.Collector, s *series.Series) {
	see := func(what string, of func(series.Point) float64) {
		var all []float64
		for _, p := range s.Points {
			if v := of(p); v > 0 {
				all = append(all, v)
			}
		}
		if c.What == "" && len(all) >= 3 {
			c.What, c.First, c.Last = what, all[0], all[len(all)-1]
		}
	}
	see("bytes that a collection looks at (/gc/scan/heap:bytes)", func(p series.Point) float64 { return float64(p.Pauses.Scan) })
	see("ns of a full collection", func(p series.Point) float64 { return float64(p.Pauses.Full) })
	if s.Language == series.Go {
		see("live bytes, of which a collection looks at those with pointers", func(p series.Point) float64 { return float64(p.Bytes) })
	}
}

// missing is what the process does not export.
func missing(s *series.Series, lost int64) []string {
	var all []string
	last := s.Points[len(s.Points)-1].Pauses
	if lost > 0 {
		all = append(all, "the process remembers its last 256 pauses only, and had more between two snapshots: the others are counted, and not among the percentiles, unless it exports /sched/pauses/total/gc:seconds")
	}
	if s.Language == series.Go && last.Scan == 0 {
		all = append(all, "what a collection scans is not known: export /gc/scan/heap:bytes of runtime/metrics through expvar under that name")
	}
	if s.Language == series.Go && last.CPU == 0 {
		all = append(all, "the collector's CPU time is not known: export /cpu/classes/gc/total:cpu-seconds and /cpu/classes/total:cpu-seconds in the same way")
	}
	return all
}

// Pauses are all pauses of a series that are known one by one, in the order of
// time.
func Pauses(s *series.Series) []series.Span {
	var all []series.Span
	for _, p := range s.Points {
		all = append(all, p.Pauses.Spans...)
	}
	slices.SortFunc(all, func(a, b series.Span) int { return a.At.Compare(b.At) })
	return all
}

// fewCalls is the least number of calls whose slowest hundredth says something.
const fewCalls = 1000

// Stalls asks whether the slowest hundredth of calls overlaps the pauses more often
// than chance would have it. Loads are the calls of each run of the load. It is nil
// with too few calls, or without pauses.
func Stalls(pauses []series.Span, loads [][]series.Span) *report.Stalls {
	var calls []series.Span
	var windows []series.Span
	for _, l := range loads {
		if len(l) > 0 {
			calls, windows = append(calls, l...), append(windows, cover(l))
		}
	}
	if len(calls) < fewCalls || len(pauses) == 0 {
		return nil
	}
	slices.SortFunc(calls, func(a, b series.Span) int { return int(a.Took - b.Took) })
	slow := calls[len(calls)-len(calls)/100:]
	p := pausesIn(merged(pauses))
	s := &report.Stalls{Calls: len(calls), Slow: len(slow), Limit: slow[0].Took}
	var hit, miss []time.Duration
	for i, c := range calls {
		if !p.overlap(c) {
			miss = append(miss, c.Took)
			continue
		}
		hit = append(hit, c.Took)
		if i >= len(calls)-len(slow) {
			s.Share += 1 / float64(len(slow))
		}
	}
	s.Chance = p.chance(slow, windows)
	s.With, s.Without = at99(hit), at99(miss)
	spread := math.Sqrt(max(s.Chance*(1-s.Chance), 1e-6) / float64(len(slow)))
	s.More = s.Share > s.Chance+3*spread
	return s
}

func at99(sorted []time.Duration) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)*99/100]
}

// cover is the time from the first call to the end of the last.
func cover(calls []series.Span) series.Span {
	from, to := calls[0].At, calls[0].At
	for _, c := range calls {
		if c.At.Before(from) {
			from = c.At
		}
		if end := c.At.Add(c.Took); end.After(to) {
			to = end
		}
	}
	return series.Span{At: from, Took: to.Sub(from)}
}

// merged joins pauses that overlap.
func merged(all []series.Span) []series.Span {
	var out []series.Span
	for _, p := range all {
		if n := len(out); n > 0 && !p.At.After(out[n-1].At.Add(out[n-1].Took)) {
			out[n-1].Took = max(out[n-1].Took, p.At.Add(p.Took).Sub(out[n-1].At))
			continue
		}
		out = append(out, p)
	}
	return out
}

// pausesIn are pauses in the order of time that do not overlap.
type pausesIn []series.Span

func (p pausesIn) overlap(c series.Span) bool {
	i := sort.Search(len(p), func(i int) bool { return p[i].At.Add(p[i].Took).After(c.At) })
	return i < len(p) && p[i].At.Before(c.At.Add(c.Took))
}

// chance is the share of calls that would overlap a pause if each had begun at any
// moment of the windows: a call of duration d does when it begins less than d
// before a pause, or in it. Calls are told apart by their duration to a tenth.
func (p pausesIn) chance(calls, windows []series.Span) float64 {
	share, n := 0.0, 0
	for i := 0; i < len(calls); {
		k := i
		for k < len(calls) && float64(calls[k].Took) <= 1.1*float64(calls[i].Took) {
			k++
		}
		d := calls[(i+k)/2].Took
		share += float64(k-i) * p.reach(d, windows)
		n += k - i
		i = k
	}
	return share / float64(max(n, 1))
}

// reach is the share of the windows at which a call of that duration overlaps a
// pause.
func (p pausesIn) reach(d time.Duration, windows []series.Span) float64 {
	wide := make([]series.Span, len(p))
	for i, s := range p {
		wide[i] = series.Span{At: s.At.Add(-d), Took: s.Took + d}
	}
	all, in := time.Duration(0), time.Duration(0)
	for _, w := range windows {
		all += w.Took
		for _, s := range merged(wide) {
			from, to := latest(s.At, w.At), earliest(s.At.Add(s.Took), w.At.Add(w.Took))
			in += max(to.Sub(from), 0)
		}
	}
	return min(1, float64(in)/float64(max(all, 1)))
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
