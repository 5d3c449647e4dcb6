package heap_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/history/heapgrowth"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap"
)

// TestBeside asks a process that serves more than net/http/pprof: the goroutines
// that nothing can wake, and metrics of the runtime in expvar.
func TestBeside(t *testing.T) {
	path, err := build(t.TempDir(), "GOEXPERIMENT=goroutineleakprofile")
	if err != nil {
		t.Fatal(err)
	}
	s := watch(t, start(t, exec.Command(path, "leak-defer")), 600, 0)
	res := heapgrowth.Judge(s)
	if len(res.Findings) != 1 {
		t.Fatalf("%s", told(res))
	}
	g := res.Findings[0].Growth
	if g.Name != "main.leakDefer.func1" || g.Confidence != "high" || !strings.Contains(g.Why, "nothing that could ever wake them") || g.Counts[6] != 3600 {
		t.Errorf("%s", told(res))
	}
	c := res.Heap.Collector
	if c == nil || c.CPU <= 0 || c.Last <= c.First || !strings.Contains(c.What, "/gc/scan/heap:bytes") || len(c.Missing) != 0 {
		t.Errorf("the collector: %+v", c)
	}
	if !s.Local || res.More != 0 {
		t.Errorf("local %v, more %d", s.Local, res.More)
	}
}

// TestNodePauses watches a process that makes garbage: its collections are seen,
// each with its time.
func TestNodePauses(t *testing.T) {
	began := time.Now()
	s := watch(t, run(t, "node/bounded-lru"), 20000, 0)
	c := heapgrowth.Judge(s).Heap.Collector
	if c == nil || c.Source != "perf_hooks" || c.Count == 0 || c.P50 <= 0 || c.P99 < c.P50 || c.Max < c.P99 || c.Share <= 0 || c.Share >= 1 {
		t.Fatalf("got %+v", c)
	}
	for _, p := range heapgrowth.Pauses(s) {
		if p.At.Before(began) || p.At.Add(p.Took).After(time.Now().Add(time.Second)) || p.Took <= 0 {
			t.Errorf("a pause of %v at %v, the test began at %v", p.Took, p.At, began)
		}
	}
}

// TestIdle asks whether the verdict needs work: an idle process is
// neither clean nor faulty.
func TestIdle(t *testing.T) {
	p, err := heap.Open(t.Context(), run(t, "node/leak-map").target)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.Watch(t.Context(), &heap.Watch{Snapshots: 5, Dir: t.TempDir(), Between: heap.Sleep(0)})
	if err != nil {
		t.Fatal(err)
	}
	if res := heapgrowth.Judge(s); res.Verdict != report.Unknown {
		t.Errorf("an idle process is %s", told(res))
	}
}

// TestKilled ends the process in the middle of the watch.
func TestKilled(t *testing.T) {
	leaking := run(t, "node/leak-map")
	p, err := heap.Open(t.Context(), leaking.target)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, err = p.Watch(t.Context(), &heap.Watch{Snapshots: 5, Dir: t.TempDir(), Between: func(context.Context, int) error {
		return leaking.process.Kill()
	}})
	var named *heap.TargetError
	if !errors.As(err, &named) || !strings.Contains(named.Msg, "ended in the middle") {
		t.Errorf("a killed process: %v", err)
	}
}

// TestPorts finds net/http/pprof beside a server that answers everything.
func TestPorts(t *testing.T) {
	for range 4 { // in whichever order the ports are listed
		p, err := heap.Open(t.Context(), fmt.Sprint(run(t, "go/bounded-map", "PAGES=1").process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Watch(t.Context(), &heap.Watch{Snapshots: 2, Dir: t.TempDir(), Between: heap.Sleep(0)})
		p.Close()
		if err != nil || len(s.Points) != 2 {
			t.Errorf("%v, %v", s, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	plain := exec.Command("sleep", "60")
	if err := plain.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plain.Process.Kill(); _ = plain.Wait() })
	tests := []struct{ name, target, says string }{
		{"no process", "999999999", "there is no process"},
		{"another program", fmt.Sprint(plain.Process.Pid), "neither Node nor a Go program"},
		{"a Go program without pprof", fmt.Sprint(os.Getpid()), "serves net/http/pprof at none of its ports"},
		{"nobody listens", "http://127.0.0.1:1", "cannot reach"},
		{"no inspector", "ws://127.0.0.1:1/x", "cannot reach an inspector"},
		{"another scheme", "ftp://localhost", "cannot begin with ftp"},
		{"nothing", "", "is named by its number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := heap.Open(t.Context(), tt.target)
			var named *heap.TargetError
			if !errors.As(err, &named) || !strings.Contains(named.Msg, tt.says) || named.Hint == "" {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCostRefuses(t *testing.T) {
	gigabyte := int64(1 << 30)
	c := heap.Cost{Heap: gigabyte / 10, Needs: gigabyte}
	if c.Refused() != "" {
		t.Errorf("nothing is known of its limit, and it is refused: %s", c.Refused())
	}
	c.Limit, c.LimitName, c.Used = gigabyte, "memory.max", gigabyte/2
	if !strings.Contains(c.Refused(), "memory.max is 1024 MB") {
		t.Errorf("half a gigabyte is left of one: %q", c.Refused())
	}
	c.Limit, c.Free = 4*gigabyte, gigabyte/4
	if !strings.Contains(c.Refused(), "the machine has 256 MB left") {
		t.Errorf("a quarter is left on the machine: %q", c.Refused())
	}
}
