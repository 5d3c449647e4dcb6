package heapgrowth

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/heap/series"
)

const ms = time.Millisecond

// load is calls of 1 ms one after the other for ten seconds by ten lanes. A call
// that meets a pause ends when the pause does, if stall says so; others are slow at
// random.
func load(pauses []series.Span, stall bool) []series.Span {
	r := rand.New(rand.NewPCG(1, 2))
	start := time.Unix(1000, 0)
	var all []series.Span
	for range 10 {
		for at := start; at.Sub(start) < 10*time.Second; {
			took := ms + time.Duration(r.Int64N(int64(ms/2)))
			if !stall && r.IntN(50) == 0 {
				took = 20 * ms
			}
			for _, p := range pauses {
				if end := p.At.Add(p.Took); stall && p.At.Before(at.Add(took)) && end.After(at) {
					took = end.Sub(at) + ms
				}
			}
			all = append(all, series.Span{At: at, Took: took})
			at = at.Add(took)
		}
	}
	return all
}

func pausesEvery(gap, took time.Duration) []series.Span {
	var all []series.Span
	for at := gap; at < 10*time.Second; at += gap {
		all = append(all, series.Span{At: time.Unix(1000, 0).Add(at), Took: took})
	}
	return all
}

// Pauses that make calls wait are found, those that do not are no more than chance,
// however long the calls are.
func TestStalls(t *testing.T) {
	pauses := pausesEvery(100*ms, 20*ms)
	s := Stalls(pauses, [][]series.Span{load(pauses, true)})
	if s == nil || !s.More || s.Share < 0.9 || s.Chance > 0.5 || s.With < 15*ms || s.Without > 2*ms {
		t.Errorf("pauses that stall: %+v", s)
	}
	s = Stalls(pauses, [][]series.Span{load(pauses, false)})
	if s == nil || s.More || math.Abs(s.Share-s.Chance) > 0.1 || s.Chance < 0.15 {
		t.Errorf("pauses that stall nobody: %+v", s)
	}
	if s := Stalls(pauses, [][]series.Span{load(pauses, true)[:fewCalls-1]}); s != nil {
		t.Errorf("few calls: %+v", s)
	}
	if s := Stalls(nil, [][]series.Span{load(nil, true)}); s != nil {
		t.Errorf("no pauses: %+v", s)
	}
}

func TestCollector(t *testing.T) {
	s := &series.Series{Language: series.V8}
	for i := range 7 {
		p := series.Point{At: time.Duration(i) * time.Second}
		if i > 0 {
			at := time.Unix(1000, 0).Add(p.At)
			p.Pauses = series.SumPauses("perf_hooks", []series.Span{{At: at, Took: ms}, {At: at.Add(10 * ms), Took: time.Duration(i) * 10 * ms, Full: true}}, time.Second)
		}
		s.Points = append(s.Points, p)
	}
	c := collector(s)
	if c.Count != 12 || c.Max != 60*ms || c.P50 != 10*ms || math.Abs(c.Share-0.216/6) > 1e-9 || c.First != 1e7 || c.Last != 6e7 || len(c.Missing) != 0 {
		t.Errorf("%+v", c)
	}
	s.Language = series.Go
	s.Points[6].Pauses.Lost = 9
	if c = collector(s); len(c.Missing) != 3 {
		t.Errorf("missing: %q", c.Missing)
	}
	if c = collector(&series.Series{Points: make([]series.Point, 3)}); c != nil {
		t.Errorf("a process that tells nothing: %+v", c)
	}
}
