package heapgrowth

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// stacks judges what a Go process tells: goroutines, which are counted, and
// allocation stacks, which are sampled, against the exact totals where there are
// any.
func (j *judge) stacks() {
	n := len(j.Points)
	whole := j.whole()
	convicted, told := false, false
	j.frames = map[string][]series.Frame{}
	for _, r := range j.functions() {
		var g report.Growth
		if r.Unit == series.Goroutines {
			g = j.goroutines(r)
		} else {
			g = j.samples(r, whole)
			j.frames[r.Name] = r.Stack
		}
		if g.Verdict == report.Noise {
			j.res.Heap.Folded++
			continue
		}
		convicted = convicted || g.Verdict == report.Leak && r.Unit != series.Goroutines
		told = told || g.Verdict == report.Growing || g.Verdict == report.Leak
		j.rates(&g)
		j.res.Heap.Growths = append(j.res.Heap.Growths, g)
	}
	j.open()
	j.inside()
	if whole.verdict == report.Growing && (whole.slows || whole.large) && !told && n >= enough {
		j.res.Heap.Growths = append(j.res.Heap.Growths, j.slower(whole))
	}
	if rest := whole.slope - j.ofGoroutines(); whole.verdict == report.Leak && !convicted && rest > max(50, 0.1*whole.slope) && n >= enough {
		j.res.Heap.Growths = append(j.res.Heap.Growths, j.objects(whole))
	}
	j.retainers()
}

// whole judges the exact number of live objects and bytes. It has no verdict
// where they are not known.
func (j *judge) whole() trend {
	var objects, bytes []float64
	for _, p := range j.Points {
		if !p.Exact {
			return trend{}
		}
		objects, bytes = append(objects, float64(p.Objects)), append(bytes, float64(p.Bytes)/1024)
	}
	if len(objects) < enough {
		return trend{}
	}
	t := j.axis().judge(objects)
	last := objects[half(len(objects)):]
	if (t.verdict == report.Leak || t.slows) && last[len(last)-1]-last[0] < 200 {
		t.verdict, t.slows = report.Noise, false
	}
	if t.verdict != report.Leak && !t.slows {
		// Few objects that are large, or one that is made anew: the bytes say it.
		b := j.axis().judge(bytes)
		grown := bytes[len(bytes)-1] - bytes[half(len(bytes))]
		if even := b.verdict == report.Leak || b.slows; even && grown > fewKilobytes || b.verdict == report.Growing && grown > manyKilobytes {
			return trend{verdict: report.Growing, slope: t.slope, err: t.err, slows: b.slows, large: true, why: b.why}
		}
	}
	return t
}

// What the heap of a Go process may grow by in the last half without meaning anything,
// in kilobytes: evenly, and in another way. Between two collections its buffers and
// tables come and go.
const (
	fewKilobytes  = 32
	manyKilobytes = 256
)

// functions adds up the rows of one function: where the samples are few, it
// matters that those of one allocation are not spread over its callers.
func (j *judge) functions() []*series.Row {
	byName := map[string]*series.Row{}
	heaviest := map[string]float64{}
	for i := range j.Rows {
		r := &j.Rows[i]
		place := function(r.Stack)
		if r.Unit == series.Goroutines && isStd(place) {
			place = outermost(r.Stack)
		}
		name := string(r.Unit) + " " + r.State + " " + place
		sum := byName[name]
		if sum == nil {
			sum = &series.Row{Name: place, Unit: r.Unit, State: r.State, Cells: make([]series.Cell, len(r.Cells))}
			byName[name] = sum
		}
		sum.Leaked = sum.Leaked || r.Leaked
		for k, c := range r.Cells {
			s := &sum.Cells[k]
			s.Count, s.Freed = s.Count+c.Count, s.Freed+c.Freed
			s.Bytes, s.Var = s.Bytes+c.Bytes, s.Var+c.Var
			s.Added, s.AddedVar = s.Added+c.Added, s.AddedVar+c.AddedVar
		}
		weight := r.Cells[len(r.Cells)-1].Bytes + float64(r.Cells[len(r.Cells)-1].Count)
		if sum.Stack == nil || weight > heaviest[name] {
			sum.Stack, heaviest[name] = r.Stack, weight
		}
	}
	var out []*series.Row
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}

// slower tells exact growth that dies away and is not over, or that is of bytes and
// not of objects: no stack has samples enough to say where.
func (j *judge) slower(t trend) report.Growth {
	g := report.Growth{
		Verdict: report.Growing, Name: "all live objects", Unit: string(series.Objects), Slope: t.slope, Error: t.err, Bytes: max(j.grown(), 0), Share: 1,
		Kind: retained.name, Why: "runtime.MemStats count every object, and there are more in every snapshot; " + t.why,
	}
	if t.large {
		g.Why = "runtime.MemStats see every byte, and there are more in the last half while the number of objects stays: something large grows, and was not sampled" + sampled
		if t.why != "" {
			g.Why += "; " + t.why
		}
		j.wants(int64(j.axis()[len(j.Points)-1]))
	}
	for _, p := range j.Points {
		g.Counts = append(g.Counts, p.Objects)
	}
	j.rates(&g)
	return g
}

// sampled is what to do where too few samples are known.
const sampled = ". GODEBUG=memprofilerate=16384, or more load between the snapshots, says more"

// objects tells growth that is exact and that no stack has enough samples for.
func (j *judge) objects(t trend) report.Growth {
	g := report.Growth{
		Verdict: report.Leak, Confidence: "low", Name: "all live objects", Unit: string(series.Objects), Slope: t.slope, Error: t.err,
		Bytes: max(j.grown(), 0), Share: 1, Kind: retained.name,
	}
	for _, p := range j.Points {
		g.Counts = append(g.Counts, p.Objects)
	}
	if n := g.Counts[len(g.Counts)-1] - g.Counts[settled(len(g.Counts))]; n > 0 {
		g.Each = g.Bytes / n
	}
	g.Why = "runtime.MemStats count every object, and see it; too few of them were sampled to say for certain where they are made"
	best := j.suspects()
	if len(best) == 0 {
		// Nothing tells whether there is a bound, not even a function to look at.
		g.Verdict, g.Confidence = report.Growing, ""
		g.Why += sampled
		j.wants(int64(j.axis()[len(j.Points)-1]))
		j.rates(&g)
		return g
	}
	g.Allocated = calls(best[0].Stack)
	var said []string
	for _, r := range best[:min(len(best), 3)] {
		said = append(said, fmt.Sprintf("%s (%d)", r.Name, kept(r)))
	}
	g.Why += ". The most samples that came and stayed are of " + strings.Join(said, ", ") + sampled
	j.keptBy(&g, best[0])
	e := evidence{}
	for _, r := range best[:min(len(best), looked)] {
		if e = j.written(r, 20); e.found {
			break // any of them may be it
		}
	}
	j.doubt(&g, e)
	j.rates(&g)
	return g
}

// looked is of how many suspects the source is read.
const looked = 5

// suspects are the functions whose samples came and stayed, those of the program
// before those of the standard library, most first.
func (j *judge) suspects() []*series.Row {
	var all []*series.Row
	for _, r := range j.functions() {
		if r.Unit == series.Samples && kept(r) > 0 && !strings.HasPrefix(r.Name, "runtime.") {
			all = append(all, r)
		}
	}
	std := func(r *series.Row) int {
		if isStd(r.Name) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b *series.Row) int { return cmp.Or(std(a)-std(b), int(kept(b)-kept(a))) })
	return all
}

// kept is how many samples came since the process was warm, less those freed.
func kept(r *series.Row) int64 {
	return r.Cells[len(r.Cells)-1].Count - r.Cells[settled(len(r.Cells))].Count
}

// retainers puts the paths of a reference profile to the heaviest leak.
func (j *judge) retainers() {
	var worst *report.Growth
	for i := range j.res.Heap.Growths {
		g := &j.res.Heap.Growths[i]
		if g.Verdict == report.Leak && g.Unit != string(series.Goroutines) && (worst == nil || g.Bytes > worst.Bytes) {
			worst = g
		}
	}
	if worst == nil {
		return
	}
	for _, r := range j.Retainers[:min(len(j.Retainers), 3)] {
		var steps []report.Held
		for _, name := range r.Path {
			steps = append(steps, report.Held{Name: name})
		}
		if n := len(steps); n > 0 {
			steps[n-1].Bytes = r.Bytes
			worst.Paths = append(worst.Paths, steps)
		}
	}
	if len(worst.Paths) > 0 {
		var names []string
		for _, s := range worst.Paths[0] {
			names = append(names, s.Name)
		}
		worst.Owner = strings.Join(names, " → ")
	}
}
