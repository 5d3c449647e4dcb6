package heapgrowth

import (
	"cmp"
	"fmt"
	"maps"
	"math"
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
	convicted, told, goroutines := false, false, 0.0
	for _, r := range j.functions() {
		var g report.Growth
		if r.Unit == series.Goroutines {
			g = j.goroutines(r)
		} else {
			g = j.samples(r, whole)
		}
		if g.Verdict == report.Noise {
			j.res.Heap.Folded++
			continue
		}
		if g.Verdict == report.Leak && r.Unit == series.Goroutines {
			goroutines += g.Slope
		} else if g.Verdict == report.Leak {
			convicted = true
		}
		told = told || g.Verdict == report.Growing || g.Verdict == report.Leak
		j.rates(&g)
		j.res.Heap.Growths = append(j.res.Heap.Growths, g)
	}
	if whole.verdict == report.Growing && whole.slows && !told && n >= enough {
		j.res.Heap.Growths = append(j.res.Heap.Growths, j.slower(whole))
	}
	if rest := whole.slope - objectsEach*goroutines; whole.verdict == report.Leak && !convicted && rest > max(50, 0.1*whole.slope) && n >= enough {
		j.res.Heap.Growths = append(j.res.Heap.Growths, j.objects(whole))
	}
	j.connections()
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
	if t.verdict != report.Leak && t.verdict != report.Growing {
		// Few objects that are large: the bytes say it.
		if b := j.axis().judge(bytes); b.verdict == report.Leak || b.verdict == report.Growing {
			grown := bytes[len(bytes)-1] - bytes[half(len(bytes))]
			if grown > 256 {
				b.slope, b.err, b.verdict = t.slope, t.err, report.Growing
				return b
			}
		}
	}
	return t
}

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
// what it works on, in up to a dozen objects.
const (
	stackBytes  = 2048 + 440
	heapBytes   = 440 + 256
	objectsEach = 12
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

// slower tells exact growth that dies away and is not over: no stack has samples
// enough to say where.
func (j *judge) slower(t trend) report.Growth {
	g := report.Growth{
		Verdict: report.Growing, Name: "all live objects", Unit: string(series.Objects), Slope: t.slope, Error: t.err, Bytes: max(j.grown(), 0), Share: 1,
		Kind: retained.name, Why: "runtime.MemStats count every object, and there are more in every snapshot; " + t.why,
	}
	for _, p := range j.Points {
		g.Counts = append(g.Counts, p.Objects)
	}
	j.rates(&g)
	return g
}

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
	const sampled = ". GODEBUG=memprofilerate=16384, or more load between the snapshots, says more"
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
