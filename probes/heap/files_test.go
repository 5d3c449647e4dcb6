package heap_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/history/heapgrowth"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap"
)

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
