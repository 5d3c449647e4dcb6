package heapgrowth

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/bound"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// Result is what the judge says.
type Result struct {
	Heap     report.Heap
	Findings []report.Finding
	Verdict  report.Verdict
	Reasons  []string // why the verdict is unknown
	Notes    []string
	// More is how many rounds of work would tell what is in doubt, 0 when nothing
	// is.
	More int64
}

// findable is the least share of objects that must be found again for ids to
// mean anything. In one session it is 99 of 100, in two of the same process 27.
const findable = 0.9

// mostReasons is how many reasons of what grows are given one by one.
const mostReasons = 3

// Judge judges a series. The same series gives the same result, always.
func Judge(s *series.Series) Result {
	j := &judge{Series: s}
	j.points()
	j.res.Heap.Collector = collector(s)
	if s.Language == series.V8 {
		j.classes()
	} else {
		j.stacks()
	}
	j.conclude()
	return j.res
}

type judge struct {
	*series.Series
	res    Result
	trends map[*series.Row]trend
	// frames are the stacks of the functions of a Go process that have samples, by name.
	frames map[string][]series.Frame
	// program is the source of a Go process, made when it is asked for.
	program *bound.Program
}

// points copies what is known of the snapshots and of the heap as a whole.
func (j *judge) points() {
	h := &j.res.Heap
	h.Language, h.Limit, h.LimitName = string(j.Language), j.Limit, j.LimitName
	for _, p := range j.Points {
		h.Points = append(h.Points, report.HeapPoint{
			Name: p.Name, At: p.At, Requests: p.Work, Bytes: p.Bytes, Objects: p.Objects, RSS: p.RSS, GCs: p.Pauses.Count,
			PauseP50: p.Pauses.P50, PauseP99: p.Pauses.P99, PauseMax: p.Pauses.Max, Paused: p.Pauses.Share, Scan: p.Pauses.Scan,
		})
	}
	if len(j.Comparable) > 0 {
		h.Comparable = slices.Min(j.Comparable)
	}
	if n := len(j.Points); n > 1 {
		var bytes []float64
		for _, p := range j.Points[half(n):] {
			bytes = append(bytes, float64(p.Bytes))
		}
		var err float64
		h.PerSnapshot, err = j.axis()[half(n):].theilSen(bytes)
		h.PerMinute = h.PerSnapshot * j.perMinute()
		j.full(err)
	}
}

// full says when the heap will have reached its limit at this rate.
func (j *judge) full(err float64) {
	h := &j.res.Heap
	last := j.Points[len(j.Points)-1]
	room := float64(h.Limit - last.Bytes)
	if h.PerMinute <= 0 || room <= 0 {
		return
	}
	after := func(perMinute float64) (d durationMinutes) { return durationMinutes(room / perMinute) }
	width := err * j.perMinute()
	h.Full = after(h.PerMinute).duration()
	h.FullFrom = after(h.PerMinute + width).duration()
	h.FullTo = after(max(h.PerMinute-width, h.PerMinute/100)).duration()
}

// axis is how much work was done at each snapshot: rounds of it.
func (j *judge) axis() axis {
	n := len(j.Points)
	if j.Points[n-1].Rounds == 0 {
		return evenly(n)
	}
	at := make(axis, n)
	for i, p := range j.Points {
		at[i] = float64(p.Rounds)
	}
	return at
}

// late is how many rounds of work the last half has.
func (at axis) late() float64 { return at[len(at)-1] - at[half(len(at))] }

// perMinute is how many rounds there are in a minute, over the last half; 0
// where it is not known.
func (j *judge) perMinute() float64 {
	n := len(j.Points)
	took := j.Points[n-1].At - j.Points[half(n)].At
	if took <= 0 {
		return 0
	}
	return j.axis().late() / took.Minutes()
}

// perRequest is how many rounds there are in a request, over the last half.
func (j *judge) perRequest() float64 {
	n := len(j.Points)
	work := j.Points[n-1].Work - j.Points[half(n)].Work
	if work <= 0 {
		return 0
	}
	return j.axis().late() / float64(work)
}

// grown is by how many bytes the heap grew since it was warm.
func (j *judge) grown() int64 {
	n := len(j.Points)
	return j.Points[n-1].Bytes - j.Points[settled(n)].Bytes
}

// rates fills in what follows from the slope.
func (j *judge) rates(g *report.Growth) {
	if g.Unit == string(series.Samples) {
		return // a rate of samples says nothing
	}
	g.PerMinute, g.PerRequest = g.Slope*j.perMinute(), g.Slope*j.perRequest()
}

// conclude orders the rows, and finds the verdict.
func (j *judge) conclude() {
	h := &j.res.Heap
	rank := map[report.GrowthVerdict]int{report.Leak: 0, report.Growing: 1, report.Bounded: 2, report.Noise: 3}
	slices.SortStableFunc(h.Growths, func(a, b report.Growth) int {
		return cmp.Or(rank[a.Verdict]-rank[b.Verdict], cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name))
	})
	growing := 0
	for i := range h.Growths {
		switch g := &h.Growths[i]; g.Verdict {
		case report.Leak:
			h.Explained = math.Min(1, h.Explained+g.Share)
			j.res.Findings = append(j.res.Findings, j.finding(g))
		case report.Growing:
			growing++
		}
	}
	if j.res.Verdict == "" {
		j.res.Verdict = report.Clean
	}
	if growing == 0 && len(j.res.Findings) == 0 {
		h.Full, h.FullFrom, h.FullTo = 0, 0, 0 // what grows by chance goes on to no limit
	}
	switch {
	case len(j.res.Findings) > 0:
		j.res.Verdict = report.Faulty
	case len(j.Points) < enough:
		j.unknown("%d snapshots are too few: at least %d are needed to tell a leak from a cache that warms up", len(j.Points), enough)
	case growing > 0:
		j.wants(max(int64(j.axis()[len(j.Points)-1])/2, 1))
		for _, g := range h.Growths {
			if g.Verdict == report.Growing && g.Kind != "" && len(j.res.Reasons) < mostReasons {
				j.unknown("%s: %s", g.Name, g.Why)
			}
		}
		j.unknown("%s grew, and not in a way that tells a leak from a cache that fills: take more snapshots, or make more load", counted(growing, "class", "classes"))
	case !j.worked() && j.filled():
		j.res.Notes = append(j.res.Notes, "that the process worked in the last half as it did before is taken on trust: --per-request says so")
	case !j.worked():
		j.unknown("next to nothing was allocated between the snapshots, so nothing could leak: put the process under load while they are taken; --per-request says that it was")
	}
}

func (j *judge) unknown(format string, args ...any) {
	j.res.Verdict = report.Worse(j.res.Verdict, report.Unknown)
	j.res.Reasons = append(j.res.Reasons, fmt.Sprintf(format, args...))
}

// worked reports whether the process did anything in the last half: with no
// objects made there was no opportunity to leak any. What the snapshots
// themselves make does not count.
func (j *judge) worked() bool {
	n := len(j.Points)
	a, b := j.Points[half(n)], j.Points[n-1]
	if b.Work > a.Work || b.Loaded {
		return true
	}
	if j.Language == series.V8 {
		return b.Allocated-a.Allocated >= max(300, b.Objects/50)
	}
	if a.Exact && b.Exact && b.Allocated-a.Allocated >= int64(n-1-half(n))*(ofSnapshot+ofStack*int64(len(j.Rows))) {
		return true
	}
	samples := int64(0)
	for i := range j.Rows {
		r := &j.Rows[i]
		if from, to := r.Cells[half(n)], r.Cells[n-1]; r.Unit == series.Samples && !isStd(function(r.Stack)) {
			samples += to.Count + to.Freed - from.Count - from.Freed
		}
	}
	return samples >= 2
}

// ofSnapshot and ofStack are more objects than a Go process allocates for the
// profiles of one snapshot, where a request costs thirty or so.
const (
	ofSnapshot = 4000
	ofStack    = 20
)

// filled reports whether something grew and stopped in snapshots that were given
// as files: then there was work, and that it went on is for who took them to say.
func (j *judge) filled() bool {
	if j.Points[len(j.Points)-1].At > 0 {
		return false
	}
	return slices.ContainsFunc(j.res.Heap.Growths, func(g report.Growth) bool { return g.Verdict == report.Bounded })
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
