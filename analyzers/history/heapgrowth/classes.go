package heapgrowth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// engine are the kinds that are V8's own: compiled code, hidden classes, feedback
// of types. They grow while a program warms up, and no program can let them go.
var engine = map[series.Kind]bool{series.Hidden: true, series.Code: true, series.Shape: true, series.Synthetic: true, series.Unknown: true}

// classes judges the classes of a V8 heap.
func (j *judge) classes() {
	j.trends = map[*series.Row]trend{}
	var leaks []*series.Row
	text := j.texts()
	for i := range j.Rows {
		r := &j.Rows[i]
		t := j.axis().judge(counts(r))
		if engine[r.Kind] || r.Kind == series.Array {
			if t.verdict == report.Leak || t.verdict == report.Growing {
				t = trend{verdict: report.Noise, slope: t.slope, err: t.err}
			}
		}
		if isText(r.Kind) && t.verdict != report.Noise && !text.grows() {
			t = trend{verdict: report.Noise, slope: t.slope, err: t.err}
		}
		j.trends[r] = t
		// With few snapshots there is no verdict, and still an answer to who holds it.
		if t.verdict == report.Leak || t.verdict == report.Growing && len(j.Points) < enough && j.worthy(r) {
			leaks = append(leaks, r)
		}
	}
	if min(j.res.Heap.Comparable, 1) < findable && len(j.Points) > 1 {
		j.res.Notes = append(j.res.Notes, fmt.Sprintf("only %.0f %% of the objects are found again under their id from one snapshot to the next, so the snapshots are of several "+
			"inspector sessions or processes; classes are compared by name, and the owner is that of all objects, not of the new ones", 100*j.res.Heap.Comparable))
	}
	if name := j.mixed(); name != "" {
		j.unknown("the snapshots are of several programs: %s is in one, not in the next, and in one after that; name those of one process", name)
		for _, r := range leaks {
			t := j.trends[r]
			t.verdict, t.confidence, t.why = report.Growing, "", "the snapshots are of several programs"
			j.trends[r] = t
		}
		leaks = nil
	}
	told := map[*series.Row]bool{}
	if len(leaks) > 0 && j.Graph != nil {
		j.convict(leaks, told)
	}
	j.single(len(told) > 0)
	j.others(told)
}

// grows reports whether there is any doubt that it does not.
func (t trend) grows() bool { return t.verdict == report.Leak || t.verdict == report.Growing }

func isText(k series.Kind) bool {
	return k == series.ConsString || k == series.SlicedString
}

// texts judges strings of all kinds together: V8 makes one of the other when it sees
// fit, so that a kind may grow where their number does not.
func (j *judge) texts() trend {
	sum := make([]float64, len(j.Points))
	for i := range j.Rows {
		if r := &j.Rows[i]; isText(r.Kind) || r.Kind == series.String {
			for k, c := range r.Cells {
				sum[k] += float64(c.Count)
			}
		}
	}
	return j.axis().judge(sum)
}

// mixed is a function or class that only some of the snapshots have, in turn, where
// the ids say that they are not of one session: of one process they are not, then.
// It is "" where there is none.
func (j *judge) mixed() string {
	if j.comparable() || len(j.Comparable) == 0 {
		return ""
	}
	for _, r := range j.Rows {
		if r.Kind != series.Closure && r.Kind != series.Object || r.Name == "" {
			continue
		}
		gone := false
		for i := 1; i < len(r.Cells); i++ {
			gone = gone || r.Cells[i-1].Count > 0 && r.Cells[i].Count == 0
			if gone && r.Cells[i].Count > 0 {
				return className(r.Kind, r.Name)
			}
		}
	}
	return ""
}

func counts(r *series.Row) []float64 {
	out := make([]float64, len(r.Cells))
	for i, c := range r.Cells {
		out[i] = float64(c.Count)
	}
	return out
}

// convict finds who holds what grows. What hangs on another class that grows is
// told with that one.
func (j *judge) convict(leaks []*series.Row, told map[*series.Row]bool) {
	h := newHeap(j.Graph)
	groups := h.groups(leaks, j.base())
	groups = slices.DeleteFunc(groups, func(g *group) bool { return j.small(g, leaks) || j.counterpart(leaks[g.class], leaks) })
	if len(groups) == 0 {
		return
	}
	h.search()
	cases := h.fold(j.together(h, groups, leaks))
	for _, c := range cases {
		j.res.Heap.Growths = append(j.res.Heap.Growths, j.growth(h, c, leaks))
		for _, g := range c.groups {
			told[leaks[g.class]] = true
			for class, n := range g.members {
				told[leaks[class]] = told[leaks[class]] || n > 0
			}
		}
	}
}

func (j *judge) base() *series.IDs {
	if j.res.Heap.Comparable < findable {
		return nil
	}
	return j.Base
}

// small reports whether a group is not worth a word: a sliver of the growth, in
// few objects.
func (j *judge) small(g *group, leaks []*series.Row) bool {
	n := g.members[g.class]
	part := float64(g.retained) / float64(max(j.grown(), 1))
	slope := j.trends[leaks[g.class]].slope
	if cells := leaks[g.class].Cells; int64(n)*20 < cells[len(cells)-1].Count-cells[settled(len(cells))].Count {
		return true // what grows are the others
	}
	return part < 0.002 || part < 0.02 && (slope < 20 || n < 20*(len(j.Points)-1))
}

// counterpart reports whether objects are what Node itself keeps for as many of the
// program's: the data of a port, the handle of a socket.
func (j *judge) counterpart(r *series.Row, leaks []*series.Row) bool {
	if !strings.HasPrefix(r.Name, "Node / ") {
		return false
	}
	slope := j.trends[r].slope
	return slices.ContainsFunc(leaks, func(other *series.Row) bool {
		return other.Kind == series.Object && strings.HasPrefix(strings.TrimPrefix(r.Name, "Node / "), other.Name) && slope <= 1.1*j.trends[other].slope
	})
}

// rank prefers what the program's author named: the class of a value tells more
// than the string that is its key.
func rank(r *series.Row) int {
	switch r.Kind {
	case series.Object, series.Native:
		switch {
		case strings.HasPrefix(r.Name, "system / "):
			return 4
		case builtin[r.Name]:
			return 2
		}
		return 0
	case series.Closure:
		return 1
	}
	return 3
}

var builtin = map[string]bool{"Object": true, "Array": true, "Date": true, "Map": true, "Set": true, "Promise": true, "ArrayBuffer": true, "Buffer": true}

// growth tells one case.
func (j *judge) growth(h *heap, c *held, leaks []*series.Row) report.Growth {
	first := c.groups[0]
	row := leaks[first.class]
	t := j.trends[row]
	g := report.Growth{
		Verdict: t.verdict, Confidence: t.confidence, Name: h.named(row, first), Unit: string(series.Objects),
		Slope: t.slope, Error: t.err, Owner: c.owner, Paths: c.paths,
	}
	for _, cell := range row.Cells {
		g.Counts = append(g.Counts, cell.Count)
	}
	names := map[string]bool{className(row.Kind, row.Name): true}
	for _, gr := range c.groups {
		g.Bytes += int64(gr.retained)
		for class, n := range gr.members {
			if name := className(leaks[class].Kind, leaks[class].Name); n > 0 && !names[name] && n*2 >= first.members[first.class] {
				names[name] = true
				g.With = append(g.With, name)
			}
		}
	}
	slices.Sort(g.With)
	if grown := j.grown(); grown > 0 {
		g.Share = min(float64(g.Bytes)/float64(grown), 1)
	}
	if n := first.members[first.class]; n > 0 {
		g.Each = g.Bytes / int64(n)
	}
	if !j.comparable() {
		g.Confidence = "medium"
	}
	g.Allocated = h.allocated(first)
	j.rates(&g)
	g.Kind = kindOf(&g, c.paths, first.members[first.class] >= 10*first.tops)
	if !placed(c.paths) {
		g.Paths = slices.Clone(c.paths)
		g.Paths[0] = slices.Concat(g.Paths[0], h.callback(h.tree.Node[first.heads[len(first.heads)/2]]))
	}
	g.Why = j.why(&g, first, row)
	if g.Verdict == report.Leak && fills(g.Kind) {
		j.doubt(&g, j.bounded(h, c, row))
	}
	return g
}

func (j *judge) comparable() bool { return j.res.Heap.Comparable >= findable }

// named is the class, and for plain objects what they consist of.
func (h *heap) named(row *series.Row, g *group) string {
	name := className(row.Kind, row.Name)
	if row.Kind != series.Object || row.Name != "Object" {
		return name
	}
	n := h.tree.Node[g.heads[len(g.heads)/2]]
	var keys []string
	for e := h.First[n]; e < h.First[n+1]; e++ {
		if key := h.Strings.At(h.LinkName[e]); h.Link[e] == series.Property && key != "__proto__" && len(key) < 30 {
			keys = append(keys, key)
		}
	}
	if len(keys) > 4 {
		keys = append(keys[:4], "…")
	}
	if len(keys) == 0 {
		return name
	}
	return name + " {" + strings.Join(keys, ", ") + "}"
}

// why says what speaks for it.
func (j *judge) why(g *report.Growth, first *group, row *series.Row) string {
	n := len(j.Points)
	if g.Verdict != report.Leak {
		return j.trends[row].why
	}
	text := fmt.Sprintf("%s more in each of the last %d snapshots", approx(g.Slope, g.Error), n-1-half(n))
	last := row.Cells[n-1].Count
	if n := first.members[first.class]; j.comparable() && int64(n) < last {
		text += fmt.Sprintf("; %d of %d are newer than the second snapshot, and none of those of the last half went away", n, last)
	}
	if g.Owner == "" {
		text += "; no single object holds them: all the paths must be cut"
	}
	return text
}

func approx(slope, err float64) string {
	if err < 0.5 {
		return fmt.Sprintf("%.0f", slope)
	}
	return fmt.Sprintf("%.0f ± %.0f", slope, err)
}

// allocated is where V8 recorded that the objects were made.
func (h *heap) allocated(g *group) []string {
	if h.Trace == nil {
		return nil
	}
	for _, head := range g.heads {
		if f, ok := h.Traces[h.Trace[h.tree.Node[head]]]; ok && f.Func+f.File != "" {
			return []string{fmt.Sprintf("%s (%s:%d)", f.Func, f.File, f.Line)}
		}
	}
	return nil
}
