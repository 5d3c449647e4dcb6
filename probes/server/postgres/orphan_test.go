//go:build linux || darwin

package postgres

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	osexec "os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	helperVar    = "CCHECK_TEST_HELPER" // makes the test binary be a helper process
	helperDirVar = "CCHECK_TEST_DIR"
)

// started is what a helper reports of itself on standard output.
type started struct {
	Dirs  []string
	PIDs  []int // of postmasters
	Guard []int
}

// help is the life of a helper process: it owns a primary and a replica and
// waits for its end.
func help(what string) int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT)
	ctx := context.Background()
	s, err := Start(ctx, Options{Dir: os.Getenv(helperDirVar)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	servers := []*Server{s}
	if what == "replica" {
		r, err := s.AddReplica(ctx, ReplicaOptions{})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		servers = append(servers, r)
	}
	var report started
	for _, s := range servers {
		report.Dirs = append(report.Dirs, s.Dir())
		report.PIDs = append(report.PIDs, s.PID())
		report.Guard = append(report.Guard, s.home.guard.PID())
	}
	if what == "paused" {
		if err := s.Pause(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(report)
	<-signals
	return surviveInterrupt(ctx, s)
}

// surviveInterrupt reports whether the server outlived the Ctrl-C.
func surviveInterrupt(ctx context.Context, s *Server) int {
	if err := ping(ctx, s.Config()); err != nil {
		fmt.Fprintln(os.Stderr, "the server did not survive the interrupt:", err)
		return 1
	}
	if err := s.Stop(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// startHelper runs this binary as a helper in a process group of its own.
func startHelper(t *testing.T, what, dir string) (*osexec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := osexec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperVar+"="+what, helperDirVar+"="+dir)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewReader(out)
}

func readReport(t *testing.T, out *bufio.Reader) started {
	t.Helper()
	var report started
	if err := json.NewDecoder(out).Decode(&report); err != nil {
		t.Fatalf("the helper did not report: %v", err)
	}
	return report
}

func kill(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
}

func TestServersDieWithTheirOwner(t *testing.T) {
	for _, what := range []string{"single", "replica", "paused"} {
		t.Run(what, func(t *testing.T) {
			// A server of this process lives through it all, and its guard does
			// not hold the helper's pipe open.
			mine := startTest(t, Options{})
			cmd, out := startHelper(t, what, testDir(t))
			report := readReport(t, out)
			kill(t, cmd.Process.Pid)
			_ = cmd.Wait()
			for i, dir := range report.Dirs {
				until(t, "the directory is gone: "+dir, func() bool { return gone(dir) })
				until(t, "the postmaster has ended", func() bool { return dead(report.PIDs[i]) })
				until(t, "the guard has ended", func() bool { return dead(report.Guard[i]) })
			}
			if err := ping(testContext(t), mine.Config()); err != nil {
				t.Errorf("another owner's server: %v", err)
			}
		})
	}
}

// TestOwnerDiesWhileStarting kills the owner as soon as there is a directory,
// which is while initdb runs.
func TestOwnerDiesWhileStarting(t *testing.T) {
	dir := testDir(t)
	cmd, _ := startHelper(t, "single", dir)
	until(t, "initdb has begun", func() bool { return len(glob(t, filepath.Join(dir, prefix+"*/data/PG_VERSION"))) > 0 })
	kill(t, cmd.Process.Pid)
	_ = cmd.Wait()
	until(t, "nothing is left in "+dir, func() bool { return len(glob(t, filepath.Join(dir, "*"))) == 0 })
}

func TestInterruptIsTheOwners(t *testing.T) {
	dir := testDir(t)
	cmd, out := startHelper(t, "replica", dir)
	report := readReport(t, out)
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the helper: %v", err)
	}
	for i, dir := range report.Dirs {
		if !gone(dir) || !dead(report.PIDs[i]) {
			t.Errorf("left after Stop: %s, process %d", dir, report.PIDs[i])
		}
	}
}

// orphan makes a server whose owner and guard are both gone.
func orphan(t *testing.T, dir string) started {
	t.Helper()
	cmd, out := startHelper(t, "single", dir)
	report := readReport(t, out)
	kill(t, report.Guard[0], cmd.Process.Pid)
	_ = cmd.Wait()
	return report
}

func TestCleanRemovesOrphans(t *testing.T) {
	dir := testDir(t)
	alive := startTest(t, Options{Dir: dir})
	report := orphan(t, dir)
	if dead(report.PIDs[0]) {
		t.Fatal("the orphan's server does not run, the test proves nothing")
	}
	removed, err := Clean(testContext(t), dir)
	if err != nil || !slices.Equal(removed, report.Dirs) {
		t.Fatalf("Clean = %v, %v; want %v", removed, err, report.Dirs)
	}
	until(t, "the postmaster has ended", func() bool { return dead(report.PIDs[0]) })
	if !gone(report.Dirs[0]) {
		t.Errorf("%s is still there", report.Dirs[0])
	}
	if err := ping(testContext(t), alive.Config()); err != nil {
		t.Errorf("the server that has an owner: %v", err)
	}
}

func TestStartRemovesOrphansAndSaysSo(t *testing.T) {
	dir := testDir(t)
	report := orphan(t, dir)
	kill(t, report.PIDs...) // as a crash of the machine would
	var said []string
	startTest(t, Options{Dir: dir, Say: func(x string) { said = append(said, x) }})
	if !gone(report.Dirs[0]) || len(said) == 0 || !strings.Contains(said[0], report.Dirs[0]) {
		t.Errorf("gone %t, said %q", gone(report.Dirs[0]), said)
	}
}

// TestCleanLeavesOthersAlone gives Clean what only looks like an orphan.
func TestCleanLeavesOthersAlone(t *testing.T) {
	dir := testDir(t)
	long := time.Now().Add(-time.Hour)
	write(t, filepath.Join(dir, prefix+"notes", "thesis.txt"), "years of work")
	write(t, filepath.Join(dir, prefix+"odd", ownerName), "not JSON")
	write(t, filepath.Join(dir, prefix+"file"), "not a directory")
	write(t, filepath.Join(dir, prefix+"fresh", ownerName+".new"), "")
	write(t, filepath.Join(dir, "other", ownerName), `{"pid": 1}`)
	for _, name := range []string{"notes", "odd"} {
		if err := os.Chtimes(filepath.Join(dir, prefix+name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if removed, err := Clean(testContext(t), dir); err != nil || len(removed) > 0 {
		t.Errorf("Clean = %v, %v", removed, err)
	}
	if left := glob(t, filepath.Join(dir, "*")); len(left) != 5 {
		t.Errorf("left: %v", left)
	}
}

// TestCleanBelievesNoNumber has an orphan's pid file name a process that is
// somebody else's: it must survive.
func TestCleanBelievesNoNumber(t *testing.T) {
	bystander := osexec.Command("sleep", "600")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bystander.Process.Kill(); _ = bystander.Wait() })
	dir := testDir(t)
	old := filepath.Join(dir, prefix+"old")
	write(t, filepath.Join(old, ownerName), `{"pid": 12345}`)
	write(t, filepath.Join(old, "data", "postmaster.pid"), fmt.Sprintf("%d\n%s\n", bystander.Process.Pid, filepath.Join(old, "data")))
	empty := filepath.Join(dir, prefix+"empty")
	write(t, filepath.Join(empty, ownerName+".new"), "")
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(empty, long, long); err != nil {
		t.Fatal(err)
	}
	removed, err := Clean(testContext(t), dir)
	if err != nil || !slices.Equal(removed, []string{empty, old}) {
		t.Errorf("Clean = %v, %v", removed, err)
	}
	if dead(bystander.Process.Pid) {
		t.Error("Clean killed a bystander")
	}
}

// Clean is called for each of Dirs, so they must be where servers work.
func TestDirsAreWhereServersWork(t *testing.T) {
	dirs := Dirs()
	for _, want := range []string{os.TempDir(), MemoryDir()} {
		if want != "" && !slices.Contains(dirs, want) {
			t.Errorf("%s is not among %q", want, dirs)
		}
	}
}
