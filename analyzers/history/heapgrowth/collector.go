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

// Stalls asks whether the slowest hundredth of calls met a pause more often than all
// calls did. A call met one that began in it, or so shortly before it that a call of
// the median duration would not have ended: by when it began, and not by how long it
// took, since a long call overlaps a pause the sooner whatever made it long. Loads are
// the calls of each run of the load. It is nil with too few calls, or without pauses.
func Stalls(pauses []series.Span, loads [][]series.Span) *report.Stalls {
	calls := slices.Concat(loads...)
	if len(calls) < fewCalls || len(pauses) == 0 {
		return nil
	}
	slices.SortFunc(calls, func(a, b series.Span) int { return int(a.Took - b.Took) })
	slow := calls[len(calls)-len(calls)/100:]
	p, usual := pausesIn(merged(pauses)), calls[len(calls)/2].Took
	s := &report.Stalls{Calls: len(calls), Slow: len(slow), Limit: slow[0].Took}
	var met, missed []time.Duration
	for i, c := range calls {
		if !p.overlap(series.Span{At: c.At, Took: usual}) {
			missed = append(missed, c.Took)
			continue
		}
		met = append(met, c.Took)
		if i >= len(calls)-len(slow) {
			s.Share += 1 / float64(len(slow))
		}
	}
	s.Chance = float64(len(met)) / float64(len(calls))
	s.With, s.Without = at99(met), at99(missed)
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
