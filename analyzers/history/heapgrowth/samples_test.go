package heapgrowth

import (
	"slices"
	"strings"
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

// One buffer that is made anew and larger is one object: the bytes keep the verdict
// from being clean.
func TestLargeObject(t *testing.T) {
	steady, odd := []int64{555, 567, 585, 600, 627, 632, 635}, []int64{542, 611, 600, 626, 620, 661, 753}
	for name, tt := range map[string]struct {
		bytes []int64
		want  report.Verdict
	}{
		"a buffer that grows":       {[]int64{163e3, 177e3, 193e3, 205e3, 234e3, 244e3, 264e3}, report.Unknown},
		"a buffer that has grown":   {[]int64{163e3, 193e3, 223e3, 264e3, 264e3, 265e3, 264e3}, report.Clean},
		"buffers that come and go":  {[]int64{163e3, 193e3, 181e3, 205e3, 195e3, 215e3, 201e3}, report.Clean},
		"a little in each snapshot": {[]int64{163e3, 165e3, 168e3, 171e3, 174e3, 177e3, 180e3}, report.Clean},
	} {
		for _, objects := range [][]int64{steady, odd} {
			s := goSeries(objects, []int64{0, 0, 0, 0, 0, 0, 0}, nil)
			for i := range s.Points {
				s.Points[i].Bytes = tt.bytes[i]
			}
			if res := Judge(s); res.Verdict != tt.want {
				t.Errorf("%s, %v objects: %s %v", name, objects, res.Verdict, res.Reasons)
			}
		}
	}
}

// What an open transaction allocates is told with its goroutine, at the function of the
// program that opened it.
func TestTransaction(t *testing.T) {
	s := goSeries([]int64{1000, 15000, 29000, 43000, 57000, 71000, 85000}, []int64{0, 15, 30, 44, 61, 75, 90}, nil)
	s.Rows[0].Stack = []series.Frame{
		{Func: "main.drv.Open", File: "/app/driver.go", Line: 22}, {Func: "database/sql.(*DB).conn", File: "/go/sql.go", Line: 1431},
		{Func: "database/sql.(*DB).BeginTx", File: "/go/sql.go", Line: 1874}, {Func: "main.(*Orders).Reserve", File: "/app/orders.go", Line: 49},
	}
	waiting := series.Row{Unit: series.Goroutines, State: "chan receive", Stack: []series.Frame{{Func: "runtime.gopark"}, {Func: "database/sql.(*Tx).awaitDone", File: "/go/sql.go", Line: 2212}}}
	for i := range s.Points {
		waiting.Cells = append(waiting.Cells, series.Cell{Count: int64(20 + 300*i)})
	}
	// What is handed over before the program's own frame is of it, too.
	s.Rows = append(s.Rows, waiting, series.Row{Unit: series.Samples, Cells: s.Rows[0].Cells, Stack: append([]series.Frame{
		{Func: "context.WithCancel", File: "/go/context.go", Line: 1}, {Func: "database/sql.(*Tx).QueryContext", File: "/go/sql.go", Line: 2}}, s.Rows[0].Stack[3:]...)})
	g := only(t, Judge(s))
	if g.Kind != query.name || !strings.HasPrefix(g.Allocated[0], "main.(*Orders).Reserve") || !slices.Contains(g.With, "main.drv.Open") || len(fixesOf(g.Kind)) != 2 {
		t.Errorf("got %+v", g)
	}
	if at := place(&g); at.File != "/app/orders.go" || at.Line != 49 {
		t.Errorf("the place is %+v", at)
	}
}

// The kind of what grows in a Go process is read from what the standard library
// allocates for a function, and from its source.
func TestGoKinds(t *testing.T) {
	const text = "package main\n\nvar pages = map[string][]byte{}\n\nfunc load(k string) {\n\tctx, cancel := context.WithCancel(app)\n\tb := read(k)\n\tpages[k] = b\n}\n"
	for name, tt := range map[string]struct {
		inner, kind, why string
	}{
		"a context":     {"context.(*cancelCtx).propagateCancel", "context never cancelled", ""},
		"a timer":       {"time.AfterFunc", "timer never cleared", ""},
		"its own bytes": {"os.ReadFile", "unbounded map", "main.go:8 puts it into pages"},
	} {
		s := goSeries([]int64{1000, 2000, 3000, 4000, 5000, 6000, 7000}, []int64{0, 15, 30, 44, 61, 75, 90}, nil)
		s.Rows[0].Stack = []series.Frame{{Func: tt.inner}, {Func: "main.load", File: "/app/main.go", Line: 7}}
		s.Sources = []series.Source{{File: "/app/main.go", Text: text}}
		if g := only(t, Judge(s)); g.Kind != tt.kind || !strings.Contains(g.Why, tt.why) || len(fixesOf(g.Kind)) == 0 {
			t.Errorf("%s: got %+v", name, g)
		}
	}
}

// What the standard library allocates for the program is the program's, and its line is
// told.
func TestCalls(t *testing.T) {
	stack := []series.Frame{{Func: "runtime.mallocgc", File: "/go/malloc.go", Line: 1}, {Func: "regexp/syntax.(*compiler).inst", File: "/go/compile.go", Line: 164}}
	for i := range 9 {
		stack = append(stack, series.Frame{Func: "context.F", File: "/go/context.go", Line: i + 1})
	}
	stack = append(stack, series.Frame{Func: "main.compile", File: "/app/main.go", Line: 25})
	g := report.Growth{Allocated: calls(stack)}
	if want := []string{"regexp/syntax.(*compiler).inst (/go/compile.go:164)", "main.compile (/app/main.go:25)"}; !slices.Equal(g.Allocated, want) {
		t.Errorf("got %v", g.Allocated)
	}
	if at := place(&g); at.File != "/app/main.go" {
		t.Errorf("the place is %+v", at)
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
