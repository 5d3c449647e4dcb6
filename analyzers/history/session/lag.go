package session

import (
	"iter"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// slots is into how many parts a series is cut at most.
const slots = 120

// Lag is how far the replicas were behind, and what their readers got; nil when
// the history cannot be read.
func Lag(h *history.Header, ops iter.Seq2[*history.Op, error]) *report.Lag {
	r, err := collect(ops)
	if err != nil {
		return nil
	}
	l := &report.Lag{CutName: r.cut}
	for _, name := range r.replicas {
		l.Replicas = append(l.Replicas, r.series(name))
	}
	policies := []string{h.Param("reads")}
	for _, p := range []string{"replica", "primary", "wait", "token"} {
		if !slices.Contains(policies, p) {
			policies = append(policies, p)
		}
	}
	for _, p := range policies {
		l.Readers = appendReader(l.Readers, r.reader(p, false))
		l.Cut = appendReader(l.Cut, r.reader(p, true))
	}
	r.partition(l)
	return l
}

func appendReader(all []report.LagReader, x report.LagReader) []report.LagReader {
	if x.Reads == 0 {
		return all
	}
	return append(all, x)
}

func (r *record) series(name string) report.LagSeries {
	s := report.LagSeries{Name: name}
	var lags []time.Duration
	for _, x := range r.sights {
		if x.replica != name || r.held(x) {
			continue
		}
		s.Writes++
		s.Bytes = max(s.Bytes, x.bytes)
		if x.stale > 0 {
			s.Late++
		}
		if x.visible == 0 {
			s.Never++
			continue
		}
		lags = append(lags, x.lag())
	}
	spread(&s, lags)
	return s
}

// held reports whether the partition kept a write from its replica: that is no
// lag.
func (r *record) held(s *sight) bool {
	if r.cut != s.replica {
		return false
	}
	return (s.visible == 0 || s.visible >= r.from) && (r.to == 0 || s.committed < r.to)
}

// Series is how far a replica was behind by the lags of writes, in their order.
func Series(name string, lags []time.Duration, bytes int64) report.LagSeries {
	s := report.LagSeries{Name: name, Bytes: bytes, Writes: len(lags)}
	spread(&s, slices.Clone(lags))
	return s
}

// spread sets what is made from the lags, and sorts them.
func spread(s *report.LagSeries, lags []time.Duration) {
	s.Values = parts(lags)
	slices.Sort(lags)
	s.P50, s.P99, s.Max = quantile(lags, 0.5), quantile(lags, 0.99), quantile(lags, 1)
}

// parts is the greatest value of each of at most 120 parts of equal length.
func parts(values []time.Duration) []time.Duration {
	n := min(len(values), slots)
	out := make([]time.Duration, n)
	for i, v := range values {
		at := i * n / len(values)
		out[at] = max(out[at], v)
	}
	return out
}

// quantile is the value below or at which that share of the sorted values is.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// reader sums up the reads under a policy that had something to lose.
func (r *record) reader(policy string, cut bool) report.LagReader {
	x := report.LagReader{Name: policy}
	var waited []time.Duration
	for _, e := range r.events {
		if e.policy != policy || e.cut != cut || e.kind == none || e.what != "read" && e.what != "pay" || !slices.Contains(r.replicas, e.asked) {
			continue
		}
		x.Reads++
		switch {
		case e.stale:
			x.Stale++
		case e.outcome == history.Refused:
			x.Refused++
		case e.ok() && e.from != e.asked:
			x.Primary++
		}
		if e.behind {
			x.Behind++
		}
		waited = append(waited, e.waited)
	}
	slices.Sort(waited)
	x.P50, x.P99 = quantile(waited, 0.5), quantile(waited, 0.99)
	return x
}

// partition tells how old the answers of the cut-off replica became, and when it
// had caught up.
func (r *record) partition(l *report.Lag) {
	if r.cut == "" {
		return
	}
	end := r.to
	if end == 0 {
		end = r.last
	}
	l.CutFor = end - r.from
	for _, e := range r.events {
		if e.cut && e.ok() && e.from == r.cut && e.stale {
			if s := r.byPlace[place{r.cut, e.key, e.version + 1}]; s != nil {
				l.CutOldest = max(l.CutOldest, e.end-s.committed)
			}
		}
	}
	for _, s := range r.sights {
		if s.replica == r.cut && s.committed >= r.from && s.committed < end && s.visible > 0 {
			l.CaughtUp = max(l.CaughtUp, s.visible-end)
		}
	}
}
