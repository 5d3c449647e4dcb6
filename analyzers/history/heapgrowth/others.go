package heapgrowth

import (
	"fmt"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// others tells the classes that are no leak. Those that never moved are only
// counted.
func (j *judge) others(told map[*series.Row]bool) {
	for i := range j.Rows {
		r := &j.Rows[i]
		t := j.trends[r]
		if told[r] {
			continue
		}
		if t.verdict == report.Leak { // too small to matter
			t.verdict = report.Noise
		}
		if t.verdict == report.Noise || !j.worthy(r) || t.verdict == report.Growing && len(r.Cells) >= enough && !j.large(r) {
			j.res.Heap.Folded++
			continue
		}
		g := report.Growth{
			Verdict: t.verdict, Name: className(r.Kind, r.Name), Unit: string(series.Objects), Slope: t.slope, Error: t.err, Why: t.why,
		}
		for _, c := range r.Cells {
			g.Counts = append(g.Counts, c.Count)
		}
		last := r.Cells[len(r.Cells)-1]
		g.Bytes = int64(last.Bytes - r.Cells[0].Bytes)
		if t.verdict == report.Bounded {
			g.Why = fmt.Sprintf("%d since snapshot %d of %d", last.Count, t.since+1, len(r.Cells))
		}
		j.rates(&g)
		j.res.Heap.Growths = append(j.res.Heap.Growths, g)
	}
}

// worthy reports whether a class that moved is worth a line: enough objects or
// bytes, and not of the engine.
func (j *judge) worthy(r *series.Row) bool {
	if engine[r.Kind] || r.Kind == series.Array {
		return false
	}
	first, last := r.Cells[0], r.Cells[len(r.Cells)-1]
	return last.Count-first.Count >= 100 || last.Bytes-first.Bytes >= max(64<<10, 0.02*float64(j.grown()))
}

// large reports whether a class that grew in an odd way is large enough to keep
// the verdict from being clean: strings are made flat, and numbers boxed, when the
// engine sees fit.
func (j *judge) large(r *series.Row) bool {
	n := len(r.Cells)
	grown := r.Cells[n-1].Bytes - r.Cells[settled(n)].Bytes
	return grown >= 0.01*float64(j.Points[n-1].Bytes)
}
