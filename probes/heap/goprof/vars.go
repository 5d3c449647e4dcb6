package goprof

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// Vars is what a process exports of runtime/metrics through expvar, under the
// names that the metrics have. Package expvar itself exports runtime.MemStats
// alone.
type Vars struct {
	Scan    int64      // /gc/scan/heap:bytes
	Live    int64      // /gc/heap/live:bytes
	Limited int64      // /gc/limiter/last-enabled:gc-cycle
	Pauses  *Histogram // /sched/pauses/total/gc:seconds
	GC, All float64    // /cpu/classes/gc/total and /cpu/classes/total, in CPU seconds
}

// Histogram is a metrics.Float64Histogram: Counts[i] is how many were between
// Bounds[i] and Bounds[i+1] seconds.
type Histogram struct {
	Counts []float64
	Bounds []float64
}

// deepest bounds how deep metrics may lie in other variables.
const deepest = 6

func parseVars(data []byte) (*Vars, error) {
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForeign, err)
	}
	v := &Vars{}
	v.walk(all, 0)
	return v, nil
}

func (v *Vars) walk(all map[string]any, depth int) {
	for name, value := range all {
		n, _ := value.(float64)
		switch name {
		case "/gc/scan/heap:bytes":
			v.Scan = whole(n)
		case "/gc/heap/live:bytes":
			v.Live = whole(n)
		case "/gc/limiter/last-enabled:gc-cycle":
			v.Limited = whole(n)
		case "/cpu/classes/gc/total:cpu-seconds":
			v.GC = n
		case "/cpu/classes/total:cpu-seconds":
			v.All = n
		}
		inner, ok := value.(map[string]any)
		switch {
		case !ok:
		case name == "/sched/pauses/total/gc:seconds":
			v.Pauses = histogram(inner)
		case depth < deepest:
			v.walk(inner, depth+1)
		}
	}
}

func whole(n float64) int64 {
	if n < 0 || n > math.MaxInt64/2 {
		return 0
	}
	return int64(n)
}

// bucket reads a number, or a text of one: JSON has no infinity, and what is no
// number counts as one.
func bucket(x any, i int) float64 {
	if n, ok := x.(float64); ok {
		return n
	}
	if text, ok := x.(string); ok {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	}
	return math.Inf(2*min(i, 1) - 1)
}

// histogram reads the counts and buckets of a metrics.Float64Histogram.
func histogram(fields map[string]any) *Histogram {
	h := &Histogram{}
	for name, value := range fields {
		list, _ := value.([]any)
		var all []float64
		for i, x := range list {
			all = append(all, bucket(x, i))
		}
		switch name {
		case "Counts", "counts":
			h.Counts = all
		case "Buckets", "buckets":
			h.Bounds = all
		}
	}
	if len(h.Counts) == 0 || len(h.Bounds) != len(h.Counts)+1 {
		return nil
	}
	return h
}

// PausesSince completes what runtime.MemStats say of the pauses since an earlier
// state: they remember 256 of them, the histogram counts all.
func (v *Vars) PausesSince(before *Vars, p *series.Pauses) {
	if all := v.All - before.All; all > 0 {
		p.CPU = max(v.GC-before.GC, 0) / all
	}
	p.Limited = v.Limited > before.Limited
	if v.Pauses == nil || before.Pauses == nil || len(v.Pauses.Counts) != len(before.Pauses.Counts) {
		return
	}
	if p.Count > 0 && p.Lost == 0 {
		return // one by one they are exact
	}
	counts := make([]float64, len(v.Pauses.Counts))
	sum := 0.0
	for i, n := range v.Pauses.Counts {
		counts[i] = max(n-before.Pauses.Counts[i], 0)
		sum += counts[i]
	}
	if sum == 0 {
		return
	}
	p.Source = "/sched/pauses/total/gc:seconds"
	p.P50, p.P99, p.Max = v.Pauses.at(counts, 0.5*sum), v.Pauses.at(counts, 0.99*sum), v.Pauses.at(counts, sum)
}

// at is the upper bound of the bucket in which the n-th is.
func (h *Histogram) at(counts []float64, n float64) time.Duration {
	seen := 0.0
	for i, c := range counts {
		if seen += c; c > 0 && seen >= n {
			upper := h.Bounds[i+1]
			if math.IsInf(upper, 0) {
				upper = h.Bounds[i]
			}
			return time.Duration(min(max(upper, 0), 1e6) * float64(time.Second))
		}
	}
	return 0
}
