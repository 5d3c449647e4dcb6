package heap_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/history/heapgrowth"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// planted are the programs of testdata: what leaks must be called a leak of that
// kind, at that owner or function, and its fixed twin must not.
var planted = []struct {
	name  string
	class string // name of the growth, or two; "" for a program that must be passed
	kind  string
	owner string // in the owner, or in the first call that allocates
}{
	{"node/leak-map", "RenderedPage", "unbounded map", "Map pages in the scope of"},
	{"node/leak-listener", "closure", "listener never removed", "_events of EventEmitter bus"},
	{"node/leak-array", "AuditRow", "array that only grows", "Array auditLog of global"},
	{"node/leak-stream", "Readable", "stream or socket never closed", "Set active in the scope of"},
	{"node/leak-abort", "Listener", "listener on an AbortSignal that outlives the request", "AbortController shutdown"},
	{"node/leak-timer", "Timeout", "timer never cleared", "TimersList"},
	{"node/leak-promise", "closure", "promise that never settles", "Promise never in the scope of"},
	{"node/leak-closure", "closure revert()", "array that only grows", "Array undo in the scope of"},
	{"node/leak-strings", "(concatenated string)", "unbounded map", "Object lines in the scope of"},
	{"node/leak-buffer", "Buffer", "array that only grows", "Array kept in the scope of"},
	{"node/leak-chain", "Object {previous}", "list that only grows", "the variable head"},
	{"node/leak-nested", "Visit", "unbounded map", "Map byUser in the scope of"},
	{"node/leak-numbers", "(array)", "array that only grows", "Array durations in the scope of"},
	{"node/leak-labels", "Series", "unbounded map", "Object hashMap of Counter requests"},
	{"node/leak-delete", "Session", "unbounded map", "Map sessions in the scope of"},
	{"node/leak-close", "Client", "", "Set clients in the scope of"},
	{"node/leak-wrong-bound", "Row", "array that only grows", "Array rows in the scope of"},
	{"node/leak-late-bound", "Quote", "unbounded map", "Map entries of Cache quotes"},
	{"node/bounded-lru", "", "", ""},
	{"node/bounded-numbers", "", "", ""},
	{"node/bounded-log", "", "", ""},
	{"node/bounded-keys", "", "", ""},
	{"node/bounded-listener", "", "", ""},
	{"node/bounded-pool", "", "", ""},
	{"node/bounded-weak", "", "", ""},

	{"go/leak-map", "all live objects or main.newSession", "memory that is kept", "main.newSession"},
	{"go/leak-goroutine", "main.leakGoroutine.func1", "goroutine blocked for ever", "main.leakGoroutine.func1"},
	{"go/leak-ticker", "main.leakTicker.func1", "goroutine blocked for ever", "main.leakTicker.func1"},
	{"go/leak-slice", "main.leakSlice or all live objects", "memory that is kept", "main.leakSlice"},
	{"go/leak-list", "all live objects or main.leakList", "memory that is kept", ""},
	{"go/leak-context", "all live objects or main.leakContext", "memory that is kept", ""},
	{"go/leak-after", "main.leakAfter.func1", "goroutine blocked for ever", "main.leakAfter.func1"},
	{"go/leak-body", "net/http.(*persistConn).readLoop", "connection or response never closed", ""},
	{"go/leak-labels", "all live objects or main.leakLabels", "memory that is kept", ""},
	{"go/leak-delete", "all live objects or main.newSession", "memory that is kept", ""},
	{"go/leak-wrong-bound", "all live objects or main.newSession", "memory that is kept", ""},
	{"go/leak-defer", "main.leakDefer.func1", "goroutine blocked for ever", "main.leakDefer.func1"},
	{"go/leak-watch", "all live objects or main.leakWatch", "memory that is kept", ""},
	{"go/bounded-map", "", "", ""},
	{"go/bounded-ring", "", "", ""},
	{"go/bounded-keys", "", "", ""},
	{"go/bounded-pool", "", "", ""},
	{"go/bounded-workers", "", "", ""},
	{"go/bounded-goroutine", "", "", ""},
}

// TestPlanted watches each program while it works, and judges what was seen.
func TestPlanted(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "planted")
	if out, err := exec.Command("go", "build", "-o", binary, "./testdata/planted/main.go").CombinedOutput(); err != nil {
		t.Fatalf("building the planted program: %v\n%s", err, out)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Fatal("there is no node: `make node` installs one")
	}
	for _, tt := range planted {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			kind, name, _ := strings.Cut(tt.name, "/")
			cmd := exec.Command(binary, name)
			if kind == "node" {
				cmd = exec.Command("node", "--inspect-port=0", "testdata/node/server.js", "testdata/node/"+name+".js")
			}
			address := start(t, cmd)
			target := address
			if kind == "node" {
				target = fmt.Sprint(cmd.Process.Pid)
			}
			more := 0
			if strings.HasPrefix(tt.class, "all live objects") {
				more = 3 // chance may have sampled none of them before
			}
			res := heapgrowth.Judge(watch(t, target, address, 600, more))
			if tt.class == "" {
				acquitted(t, res)
				return
			}
			for _, g := range res.Heap.Growths {
				where := g.Owner + strings.Join(g.Allocated, " ")
				if g.Verdict == report.Leak && slices.Contains(strings.Split(tt.class, " or "), g.Name) && (g.Kind == tt.kind || tt.kind == "") && strings.Contains(where, tt.owner) {
					return
				}
			}
			t.Errorf("no leak of %s (%s at %s); %s", tt.class, tt.kind, tt.owner, told(res))
		})
	}
}

// filling are programs that grow evenly for as long as a short run lasts, and stop
// later. A short run must not convict them, and more load must acquit them.
var filling = []struct {
	name string
	sure bool // more load proves it within seconds
}{
	{"node/fills-lru", true}, {"node/fills-class", true}, {"node/fills-ring", true}, {"node/fills-memo", false},
	{"node/fills-log", false}, {"node/fills-words", true}, {"node/fills-modules", true},
	{"go/fills-lru", true}, {"go/fills-ring", true}, {"go/fills-workers", true}, {"go/fills-ttl", false},
	{"go/fills-log", false}, {"go/fills-words", true},
}

func TestFilling(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "planted")
	if out, err := exec.Command("go", "build", "-o", binary, "./testdata/planted/main.go").CombinedOutput(); err != nil {
		t.Fatalf("building the planted program: %v\n%s", err, out)
	}
	for _, tt := range filling {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			kind, name, _ := strings.Cut(tt.name, "/")
			cmd := exec.Command(binary, name)
			if kind == "node" {
				cmd = exec.Command("node", "--inspect-port=0", "testdata/node/server.js", "testdata/node/"+name+".js")
			}
			address := start(t, cmd)
			target := address
			if kind == "node" {
				target = fmt.Sprint(cmd.Process.Pid)
			}
			res := heapgrowth.Judge(watch(t, target, address, 600, 3))
			if res.Verdict == report.Faulty || tt.sure && res.Verdict != report.Clean {
				t.Errorf("a cache that fills is %s: %s", res.Verdict, told(res))
			}
		})
	}
}

// TestBeside asks a process that serves more than net/http/pprof: the goroutines
// that nothing can wake, and metrics of the runtime in expvar.
func TestBeside(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "planted")
	build := exec.Command("go", "build", "-o", binary, "./testdata/planted/main.go")
	build.Env = append(os.Environ(), "GOEXPERIMENT=goroutineleakprofile")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the planted program: %v\n%s", err, out)
	}
	address := start(t, exec.Command(binary, "leak-defer"))
	s := watch(t, address, address, 600, 0)
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
	cmd := exec.Command("node", "--inspect-port=0", "testdata/node/server.js", "testdata/node/bounded-lru.js")
	began := time.Now()
	address := start(t, cmd)
	s := watch(t, fmt.Sprint(cmd.Process.Pid), address, 50000, 0)
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

func acquitted(t *testing.T, res heapgrowth.Result) {
	t.Helper()
	if res.Verdict != report.Clean {
		t.Errorf("what grows and stops is %s: %s", res.Verdict, told(res))
	}
}

func told(res heapgrowth.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v\n", res.Verdict, res.Reasons)
	for _, g := range res.Heap.Growths {
		fmt.Fprintf(&b, "%s %s %v %s owner %q at %v: %s\n", g.Verdict, g.Name, g.Counts, g.Kind, g.Owner, g.Allocated, g.Why)
		for _, p := range g.Paths {
			fmt.Fprintf(&b, "  by %v\n", p)
		}
	}
	for _, p := range res.Heap.Points {
		fmt.Fprintf(&b, "%s %d bytes %d objects\n", p.Name, p.Bytes, p.Objects)
	}
	return b.String()
}

// start starts a program and returns the address that it prints.
func start(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the program prints no address: %v", err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return strings.TrimSpace(line)
}

// watch takes seven snapshots, with that many units of work between any two, and
// up to more beyond as the judge asks for them.
func watch(t *testing.T, target, address string, units, more int) *series.Series {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	p, err := heap.Open(ctx, target)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.Watch(ctx, &heap.Watch{
		Snapshots: 7, Work: int64(units), Dir: t.TempDir(),
		Between: func(context.Context, int) error { return work(address, units) },
		More: func(s *series.Series) int {
			if more--; more < 0 {
				return 0
			}
			return int(heapgrowth.Judge(s).More)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func work(address string, units int) error {
	resp, err := http.Get(fmt.Sprintf("%s/units?n=%d", address, units))
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.Body.Close()
}

// TestIdle asks whether the verdict needs work: an idle process is
// neither clean nor faulty.
func TestIdle(t *testing.T) {
	cmd := exec.Command("node", "--inspect-port=0", "testdata/node/server.js", "testdata/node/leak-map.js")
	start(t, cmd)
	p, err := heap.Open(t.Context(), fmt.Sprint(cmd.Process.Pid))
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

// TestFiles judges files that the process wrote itself, and files of two
// processes, which number their objects differently.
func TestFiles(t *testing.T) {
	folder := alone(t, "leak-map", 500)
	other := alone(t, "leak-listener", 731)
	var same, mixed []string
	for i := range 7 {
		name := fmt.Sprintf("s%d.heapsnapshot", i)
		same = append(same, filepath.Join(folder, name))
		mixed = append(mixed, filepath.Join([]string{folder, other}[i%2], name))
	}
	s, err := (&heap.Files{Paths: same, Work: 500, Workers: 2}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	res := heapgrowth.Judge(s)
	if len(res.Findings) != 1 || res.Findings[0].Growth.Name != "RenderedPage" || res.Findings[0].Growth.PerRequest != 1 || res.Heap.Comparable < 0.9 {
		t.Errorf("files: %s", told(res))
	}
	if s, err = (&heap.Files{Paths: mixed, Workers: 2}).Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res = heapgrowth.Judge(s); res.Heap.Comparable >= 0.9 || res.Verdict != report.Unknown || !strings.Contains(strings.Join(res.Reasons, " "), "several programs") {
		t.Errorf("files of two processes: comparable %v, reasons %v, %s", res.Heap.Comparable, res.Reasons, told(res))
	}
}

// alone has a program work and write snapshots by itself.
func alone(t *testing.T, name string, units int) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("node", "--inspect-port=0", "testdata/node/server.js", "testdata/node/"+name+".js")
	cmd.Env = append(os.Environ(), "SNAPSHOTS="+dir, fmt.Sprintf("UNITS=%d", units))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// TestKilled ends the process in the middle of the watch.
func TestKilled(t *testing.T) {
	cmd := exec.Command("node", "--inspect-port=0", "testdata/node/server.js", "testdata/node/leak-map.js")
	start(t, cmd)
	p, err := heap.Open(t.Context(), fmt.Sprint(cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, err = p.Watch(t.Context(), &heap.Watch{Snapshots: 5, Dir: t.TempDir(), Between: func(context.Context, int) error {
		return cmd.Process.Kill()
	}})
	var named *heap.TargetError
	if !errors.As(err, &named) || !strings.Contains(named.Msg, "ended in the middle") {
		t.Errorf("a killed process: %v", err)
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
