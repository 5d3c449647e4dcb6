package heapgrowth

import (
	"fmt"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// least is how large one block must be to be told by itself, in bytes.
const least = 16 << 10

// few is how many references a block of numbers has: that to its map, and some of
// the engine's. The table of a Map has one for each entry.
const few = 4

// single looks for one object that grows: an array of numbers has no objects to
// count. V8 makes such a block half as large again whenever it is full, so it
// grows in steps, ever rarer ones.
func (j *judge) single(leaks bool) {
	n := len(j.Points)
	if leaks || j.Graph == nil || n < enough {
		return
	}
	for i := range j.Rows {
		if r := &j.Rows[i]; r.Kind == series.Array && r.Name == "" {
			verdict := stepwise(r.Cells, float64(j.grown())/4)
			if verdict == report.Noise {
				return
			}
			j.block(r, verdict)
			return
		}
	}
}

// stepwise judges the bytes of a block that is made anew when it is full: two
// steps in the last half are growth, one may be the last.
func stepwise(cells []series.Cell, worth float64) report.GrowthVerdict {
	last := cells[half(len(cells)):]
	if last[len(last)-1].Bytes-last[0].Bytes < max(worth, least/2) {
		return report.Noise
	}
	count := 0
	for i := 1; i < len(last); i++ {
		if last[i].Bytes-last[i-1].Bytes > least/4 {
			count++
		}
	}
	if count >= 2 {
		return report.Leak
	}
	return report.Growing
}

// block tells the largest new block, and who holds it.
func (j *judge) block(r *series.Row, verdict report.GrowthVerdict) {
	h := newHeap(j.Graph)
	best := none
	for i, n := range h.tree.Node {
		if h.Kind[n] != series.Array || h.First[n+1]-h.First[n] > few || j.base().Has(h.ID[n], series.Mark(h.Kind[n], h.Self[n])) {
			continue
		}
		if best == none || h.Self[n] > h.Self[h.tree.Node[best]] {
			best = uint32(i)
		}
	}
	if best == none || h.Self[h.tree.Node[best]] < least {
		return
	}
	node := h.tree.Node[best]
	h.search()
	edges := h.path(node)
	holder := h.dominator(node)
	steps, owner := h.tell(edges, holder)
	last := r.Cells[len(r.Cells)-1]
	g := report.Growth{
		Verdict: verdict, Name: "(array)", Unit: "bytes", Owner: ownerText(steps, owner), Paths: [][]report.Held{steps}, Kind: array.name,
		Bytes: int64(last.Bytes - r.Cells[settled(len(r.Cells))].Bytes),
		Why:   fmt.Sprintf("one block of %s, made anew in steps as it fills; it holds numbers", size(int64(h.Self[node]))),
	}
	if verdict == report.Leak {
		g.Confidence = "medium"
	}
	for _, c := range r.Cells {
		g.Counts = append(g.Counts, int64(c.Bytes))
	}
	var bytes []float64
	for _, c := range r.Cells[half(len(r.Cells)):] {
		bytes = append(bytes, c.Bytes)
	}
	g.Slope, g.Error = j.axis()[half(len(r.Cells)):].theilSen(bytes)
	if all := j.grown(); all > 0 {
		g.Share = min(1, float64(g.Bytes)/float64(all))
	}
	j.rates(&g)
	j.res.Heap.Growths = append(j.res.Heap.Growths, g)
}
