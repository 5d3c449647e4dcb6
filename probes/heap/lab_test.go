package heap_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/history/heapgrowth"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap"
	"github.com/ccheck/ccheck/probes/heap/series"
)

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

// program is one of testdata that runs.
type program struct {
	address string // at which it works
	target  string // by which it is watched
	process *os.Process
}

// run starts a program by its name in the tables, with more of an environment. In one
// of Node several cases may be at work, with a + between their names.
func run(t *testing.T, name string, env ...string) program {
	t.Helper()
	kind, name, _ := strings.Cut(name, "/")
	cmd := exec.Command(binary(t), name)
	if kind == "node" {
		cmd = exec.Command("node", "--inspect-port=0", "testdata/node/server.js")
		for one := range strings.SplitSeq(name, "+") {
			cmd.Args = append(cmd.Args, "testdata/node/"+one+".js")
		}
	}
	cmd.Env = append(os.Environ(), env...)
	p := start(t, cmd)
	if kind == "node" {
		p.target = fmt.Sprint(cmd.Process.Pid)
	}
	return p
}

// built is the program of all cases in Go, built once for all tests.
var built = sync.OnceValues(func() (string, error) { return build(os.TempDir()) })

func binary(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// build builds the program of all cases in Go in a folder of its own in dir.
func build(dir string, env ...string) (string, error) {
	dir, err := os.MkdirTemp(dir, "ccheck-planted-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "planted")
	cmd := exec.Command("go", "build", "-o", path, "./testdata/planted")
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the planted program: %w\n%s", err, out)
	}
	return path, nil
}

func TestMain(m *testing.M) {
	if _, err := exec.LookPath("node"); err != nil {
		fmt.Fprintln(os.Stderr, "there is no node: `make node` installs one")
		os.Exit(1)
	}
	code := m.Run()
	if path, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// start starts a program that prints its address.
func start(t *testing.T, cmd *exec.Cmd) program {
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
	address := strings.TrimSpace(line)
	return program{address: address, target: address, process: cmd.Process}
}

// watch takes seven snapshots, with that many units of work between any two, and
// up to more beyond as the judge asks for them.
func watch(t *testing.T, run program, units, more int) *series.Series {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	p, err := heap.Open(ctx, run.target)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.Watch(ctx, &heap.Watch{
		Snapshots: 7, Work: int64(units), Dir: t.TempDir(),
		Between: func(context.Context, int) error { return work(run.address, units) },
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
