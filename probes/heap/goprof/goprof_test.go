package goprof

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// keep is what the test allocates and holds.
var keep [][]byte

//go:noinline
func payload() []byte { return make([]byte, 8<<10) }

//go:noinline
func waitForever(c chan int) { <-c }

// TestOwnProfiles reads what this very process says of itself: the profiles are
// real ones.
func TestOwnProfiles(t *testing.T) {
	const n = 4000
	for range n {
		keep = append(keep, payload())
	}
	never := make(chan int)
	for range 70 {
		go waitForever(never)
	}
	time.Sleep(10 * time.Millisecond) // they have to come to their wait
	runtime.GC()
	defer close(never)
	for _, debug := range []int{0, 1} {
		p := own(t, "heap", debug)
		if p.Kind != Heap || p.Period != int64(runtime.MemProfileRate) {
			t.Errorf("debug %d: %s with a period of %d", debug, p.Kind, p.Period)
		}
		row := find(t, p, "goprof.payload")
		want := float64(n * 8 << 10)
		if miss := math.Abs(row.Bytes - want); miss > 4*math.Sqrt(row.Var) || row.Count < 10 || row.Freed != 0 {
			t.Errorf("debug %d: %.0f bytes in %d samples ± %.0f, want %.0f", debug, row.Bytes, row.Count, math.Sqrt(row.Var), want)
		}
		if debug == 1 && (p.Mem == nil || p.Mem.HeapObjects < n || p.Mem.NumGC == 0 || len(p.Mem.Pauses) != 256) {
			t.Errorf("runtime.MemStats are %+v", p.Mem)
		}
	}
	for _, debug := range []int{0, 1, 2} {
		row := find(t, own(t, "goroutine", debug), "goprof.waitForever")
		if row.Count != 70 || debug != 1 && row.State != "chan receive" {
			t.Errorf("debug %d: %d goroutines in state %q", debug, row.Count, row.State)
		}
	}
	keep = nil
}

func own(t *testing.T, name string, debug int) *Profile {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&b, debug); err != nil {
		t.Fatal(err)
	}
	p, err := Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.Rows {
		for _, f := range r.Stack {
			if strings.HasPrefix(f.Func, "runtime/pprof.write") && debug < 2 {
				t.Errorf("the profiler's own row is in it: %v", r.Stack)
			}
		}
	}
	return p
}

func find(t *testing.T, p *Profile, name string) *Row {
	t.Helper()
	for _, r := range p.Rows {
		for _, f := range r.Stack {
			if strings.HasSuffix(f.Func, name) {
				return r
			}
		}
	}
	t.Fatalf("no row for %s", name)
	return nil
}

func TestEstimate(t *testing.T) {
	tests := []struct {
		objects, bytes float64
		period         int64
		samples        int64
		deviation      float64
	}{
		{1024, 524288, 524288, 1, 524288},     // 512 bytes each: one sample stands for about 1024
		{100, 100 << 20, 524288, 86, 4.148e6}, // a megabyte each: 86 of 100 are seen
		{10, 160, 1, 10, 0},                   // every allocation is seen
		{0, 0, 524288, 0, 0}, {5, 0, 0, 0, 0},
	}
	for _, tt := range tests {
		samples, bytes, variance := estimate(tt.objects, tt.bytes, tt.period)
		if samples != tt.samples || bytes != tt.bytes || math.Abs(math.Sqrt(variance)-tt.deviation) > 0.01*tt.deviation {
			t.Errorf("estimate(%v, %v, %d) = %d, %v, ± %v", tt.objects, tt.bytes, tt.period, samples, bytes, math.Sqrt(variance))
		}
	}
}

func TestPausesSince(t *testing.T) {
	ring, ends := make([]int64, 256), make([]int64, 256)
	for i := range ring {
		ring[i], ends[i] = int64(i), int64(1000+i)
	}
	after := &MemStats{NumGC: 258, Pauses: ring, Ends: ends} // the last ones are at 1, 0, 255 …
	p := after.PausesSince(&MemStats{NumGC: 255}, time.Second)
	if p.Count != 3 || p.Max != 255 || p.P50 != 1 || p.Total != 256 {
		t.Errorf("got %+v", p)
	}
	if at := p.Spans[0].At; at != time.Unix(0, 1000) || p.Lost != 0 {
		t.Errorf("the pause began at %v, %d lost", at, p.Lost)
	}
	// What the snapshot itself forced is not the process's.
	after.NumForcedGC = 2
	if p = after.PausesSince(&MemStats{NumGC: 255}, time.Second); p.Count != 1 || p.Max != 255 {
		t.Errorf("with two forced: %+v", p)
	}
	if p = after.PausesSince(&MemStats{}, time.Second); p.Count != 256 || p.Lost != 2 {
		t.Errorf("more than it remembers: %d, %d lost", p.Count, p.Lost)
	}
	if p := (&MemStats{NumGC: 5}).PausesSince(&MemStats{NumGC: 9}, 0); p.Count != 0 || p.Total != 0 {
		t.Errorf("a process that began anew: %+v", p)
	}
}

// Variables are found by the names of runtime/metrics, wherever they lie.
func TestVars(t *testing.T) {
	p, err := Parse([]byte(`{"cmdline":["x"],"runtime":{"/gc/scan/heap:bytes":4096,"/cpu/classes/gc/total:cpu-seconds":1,"/cpu/classes/total:cpu-seconds":10,
		"/gc/limiter/last-enabled:gc-cycle":7,"/sched/pauses/total/gc:seconds":{"Counts":[0,90,9,1],"Buckets":[null,0.001,0.002,0.004,"+Inf"]}}}`))
	if err != nil || p.Kind != Variables || p.Vars.Scan != 4096 || p.Vars.Limited != 7 {
		t.Fatalf("%+v, %v", p, err)
	}
	got := series.Pauses{}
	p.Vars.PausesSince(&Vars{Pauses: &Histogram{Counts: make([]float64, 4)}}, &got)
	if got.P50 != 2*time.Millisecond || got.P99 != 4*time.Millisecond || got.Max != 4*time.Millisecond || got.CPU != 0.1 || !got.Limited {
		t.Errorf("%+v", got)
	}
	exact := series.Pauses{Count: 3, Max: time.Second}
	if p.Vars.PausesSince(&Vars{Pauses: &Histogram{Counts: make([]float64, 4)}}, &exact); exact.Max != time.Second {
		t.Errorf("pauses known one by one were replaced: %+v", exact)
	}
	for _, bad := range []string{`{`, `{"a":`, `{"/gc/scan/heap:bytes":1e999}`} {
		if _, err := Parse([]byte(bad)); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if p, err := Parse([]byte(`{"/gc/scan/heap:bytes":"x","/sched/pauses/total/gc:seconds":{"Counts":[1],"Buckets":[1]}}`)); err != nil || p.Vars.Scan != 0 || p.Vars.Pauses != nil {
		t.Errorf("what is no metric: %+v, %v", p, err)
	}
}

func TestBadInput(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 64<<20))
	_ = z.Close()
	var cpu bytes.Buffer
	if err := pprof.StartCPUProfile(&cpu); err != nil {
		t.Fatal(err)
	}
	pprof.StopCPUProfile()
	var heap bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&heap, 0); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"empty", nil, ErrForeign},
		{"text", []byte("hello"), ErrForeign},
		{"HTML", []byte("<html>404</html>"), ErrForeign},
		{"a CPU profile", cpu.Bytes(), ErrOther},
		{"half a profile", heap.Bytes()[:heap.Len()/2], nil},
		{"a bomb", bomb.Bytes(), nil},
		{"counts that are none", []byte("heap profile: 1: 2 [3: 4] @ heap/1048576\nx: y [z: w] @ 0x1\n"), ErrForeign},
		{"a dump of nothing", []byte("goroutine 1 running:\n"), ErrForeign},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse(tt.data); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"heap", "goroutine"} {
		for debug := range 3 {
			var b bytes.Buffer
			if err := pprof.Lookup(name).WriteTo(&b, debug); err == nil {
				f.Add(b.Bytes())
			}
		}
	}
	f.Add([]byte("goroutine 7 [chan send, 3 minutes]:\nmain.f(0x1)\n\t/a.go:3 +0x1\ncreated by main.g in goroutine 1\n\t/a.go:9 +0x2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(data)
		if err != nil {
			return
		}
		for _, r := range p.Rows {
			if math.IsNaN(r.Bytes) || math.IsNaN(r.Var) || r.Var < 0 {
				t.Fatalf("a row with %v ± %v", r.Bytes, r.Var)
			}
		}
	})
}

// TestAgainstPprof compares the decoder with that of github.com/google/pprof.
func TestAgainstPprof(t *testing.T) {
	for _, name := range []string{"heap", "allocs", "goroutine"} {
		var b bytes.Buffer
		if err := pprof.Lookup(name).WriteTo(&b, 0); err != nil {
			t.Fatal(err)
		}
		theirs, err := profile.ParseData(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		raw, err := unpacked(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		ours, err := decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		names := ours.names()
		var s sample
		for i, want := range theirs.Sample {
			if err := s.decode(ours.samples[i]); err != nil {
				t.Fatal(err)
			}
			var frames []string
			for _, l := range want.Location {
				for _, at := range l.Line {
					frames = append(frames, fmt.Sprint(at.Function.Name, at.Function.Filename, at.Line))
				}
			}
			var got []string
			for _, f := range s.frames(names) {
				got = append(got, fmt.Sprint(f.Func, f.File, f.Line))
			}
			if !slices.Equal(got, frames) || !slices.Equal(s.values, want.Value) {
				t.Fatalf("%s, sample %d: %v %v, want %v %v", name, i, got, s.values, frames, want.Value)
			}
		}
		if len(theirs.Sample) != len(ours.samples) || ours.period != theirs.Period {
			t.Errorf("%s: %d samples and period %d, want %d and %d", name, len(ours.samples), ours.period, len(theirs.Sample), theirs.Period)
		}
	}
}
