package heapgrowth

import (
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

const each = 524288 // bytes that one sample of a small object stands for

// cells are samples that stand for half a megabyte each; freed are those that
// were freed so far.
func cells(counts, freed []int64) []series.Cell {
	var out []series.Cell
	for i, n := range counts {
		c := series.Cell{Count: n, Bytes: float64(n * each), Var: float64(n) * each * each}
		if freed != nil {
			c.Freed = freed[i]
		}
		c.Added, c.AddedVar = float64((n+c.Freed)*each), float64(n+c.Freed)*each*each
		out = append(out, c)
	}
	return out
}

func TestSampled(t *testing.T) {
	tests := []struct {
		name          string
		counts, freed []int64
		want          report.GrowthVerdict
		confidence    string
	}{
		{"a line", []int64{0, 15, 30, 44, 61, 75, 90}, nil, report.Leak, "high"},
		{"a line with few samples", []int64{0, 2, 5, 8, 10, 13, 15}, nil, report.Leak, "low"},
		{"chance", []int64{0, 1, 1, 1, 2, 2, 3}, nil, report.Noise, ""},
		{"a full cache with churn", []int64{0, 20, 40, 60, 57, 63, 59}, []int64{0, 0, 0, 0, 23, 37, 61}, report.Bounded, ""},
		{"a full cache without", []int64{0, 20, 40, 60, 60, 60, 60}, nil, report.Bounded, ""},
		{"a cache that fills", []int64{0, 60, 100, 128, 145, 155, 163}, nil, report.Growing, ""},
		{"comes and goes", []int64{20, 24, 18, 22, 19, 25, 23}, []int64{0, 30, 60, 90, 120, 150, 180}, report.Noise, ""},
		{"few snapshots", []int64{0, 20, 40}, nil, report.Growing, ""},
		{"one snapshot", []int64{40}, nil, report.Noise, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			verdict, confidence, _ := evenly(len(tt.counts)).sampled(cells(tt.counts, tt.freed))
			if verdict != tt.want || confidence != tt.confidence {
				t.Errorf("%v: %s (%s), want %s (%s)", tt.counts, verdict, confidence, tt.want, tt.confidence)
			}
		})
	}
}

// goSeries is a Go process with one stack, and with exact totals where objects
// are given.
func goSeries(objects []int64, counts, freed []int64) *series.Series {
	s := &series.Series{Language: series.Go, Period: each}
	for i := range counts {
		p := series.Point{Work: int64(i * 100), Bytes: counts[i] * each, Objects: counts[i]}
		if objects != nil {
			p.Objects, p.Bytes, p.Exact = objects[i], objects[i]*100, true
		}
		s.Points = append(s.Points, p)
	}
	s.Rows = []series.Row{{Unit: series.Samples, Stack: []series.Frame{{Func: "runtime.mallocgc"}, {Func: "main.load", File: "/app/main.go", Line: 7}}, Cells: cells(counts, freed)}}
	return s
}

// The exact totals have the last word: they convict where samples are too few,
// and acquit where samples say too much.
func TestExactTotals(t *testing.T) {
	line := []int64{1000, 2000, 3000, 4000, 5000, 6000, 7000}
	flat := []int64{1000, 2000, 3000, 4000, 4001, 4000, 4000}
	tests := []struct {
		name    string
		objects []int64
		counts  []int64
		want    report.Verdict
		growth  string
	}{
		{"both", line, []int64{0, 15, 30, 44, 61, 75, 90}, report.Faulty, "main.load"},
		{"few samples", line, []int64{0, 0, 1, 1, 1, 2, 2}, report.Faulty, "all live objects"},
		{"no growth in the totals", flat, []int64{0, 15, 30, 44, 61, 75, 90}, report.Clean, ""},
		{"totals that grow by less and less", []int64{580, 1149, 1605, 1968, 2244}, []int64{0, 0, 1, 1, 1}, report.Unknown, ""},
		{"few samples and no totals", nil, []int64{0, 2, 4, 7, 9, 12, 14}, report.Unknown, ""},
		{"many samples and no totals", nil, []int64{0, 15, 30, 44, 61, 75, 90}, report.Faulty, "main.load"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := Judge(goSeries(tt.objects, tt.counts, nil))
			if res.Verdict != tt.want {
				t.Fatalf("%s %v, want %s: %+v", res.Verdict, res.Reasons, tt.want, res.Heap.Growths)
			}
			if tt.growth != "" && res.Findings[0].Growth.Name != tt.growth {
				t.Errorf("found %+v", res.Findings[0].Growth)
			}
		})
	}
}

// A reference profile says who holds what the stack allocated.
func TestRetainers(t *testing.T) {
	s := goSeries(nil, []int64{0, 15, 30, 44, 61, 75, 90}, nil)
	s.Retainers = []series.Retainer{{Path: []string{"main.index", "byKey", "$mapval"}, Bytes: 23 << 20}}
	g := Judge(s).Findings[0].Growth
	if g.Owner != "main.index → byKey → $mapval" || len(g.Paths) != 1 || g.Paths[0][2].Bytes != 23<<20 {
		t.Errorf("got %+v", g)
	}
}

func TestIsStd(t *testing.T) {
	for name, want := range map[string]bool{
		"net/http.(*conn).serve": true, "runtime.mallocgc": true, "time.Sleep": true, "main.load": false,
		"github.com/a/b.F": false, "example.com/runtime.F": false, "shop/internal/net.F": false,
	} {
		if isStd(name) != want {
			t.Errorf("isStd(%s) is %v", name, !want)
		}
	}
}

// When memory will run out is foretold only where something grows on: a heap that
// drifts by chance would reach any limit some day.
func TestForecastNeedsGrowth(t *testing.T) {
	for name, tt := range map[string]struct {
		counts []int64
		told   bool
	}{
		"a line":  {[]int64{0, 150, 300, 440, 610, 750, 900}, true},
		"a drift": {[]int64{500, 500, 500, 501, 501, 502, 502}, false},
	} {
		s := goSeries(nil, tt.counts, nil)
		s.Limit, s.LimitName = 1<<40, "the limit of the container"
		for i := range s.Points {
			s.Points[i].At = time.Duration(i) * time.Second
		}
		if got := Judge(s).Heap; got.PerMinute <= 0 || got.Full > 0 != tt.told {
			t.Errorf("%s: %v bytes a minute, full in %v, want a forecast: %t", name, got.PerMinute, got.Full, tt.told)
		}
	}
}
