//go:build linux || darwin

package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/server/internal/system"
)

// sleeper is a server that serves at once and does nothing.
func sleeper() Program {
	return Program{
		Name: "sleeper", Path: "/bin/sleep", Ports: 1,
		Args:  func(string, []int) ([]string, error) { return []string{"600"}, nil },
		Ready: func(context.Context, string) error { return nil },
	}
}

func TestStartErrors(t *testing.T) {
	liar := sleeper()
	liar.Path, liar.Args = "/bin/sh", func(string, []int) ([]string, error) { return []string{"-c", "echo no luck; exit 1"}, nil }
	liar.Ready = func(context.Context, string) error { return errors.New("not yet") }
	if _, err := Start(context.Background(), liar); err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("a server that ends at once: %v", err)
	}
	none := sleeper()
	none.Path = "/nowhere/sleep"
	if _, err := Start(context.Background(), none); err == nil || !strings.Contains(err.Error(), "starting /nowhere/sleep") {
		t.Errorf("a program that is not there: %v", err)
	}
	if left, _ := os.ReadDir(os.TempDir()); strings.Contains(fmt.Sprint(left), "ccheck-sleeper-") {
		t.Errorf("left: %v", left)
	}
}

const ownerVar = "CCHECK_TEST_OWNER"

// TestMain lets this binary be the owner that gets killed.
func TestMain(m *testing.M) {
	if os.Getenv(ownerVar) == "" {
		os.Exit(m.Run())
	}
	d, err := Start(context.Background(), sleeper())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(d.PID(), d.Dir(), d.guard.PID())
	time.Sleep(time.Hour)
}

// owned is a server of another process.
type owned struct {
	owner      *osexec.Cmd
	pid, guard int
	dir        string
}

func another(t *testing.T) owned {
	t.Helper()
	o := owned{owner: osexec.Command(os.Args[0])}
	o.owner.Env = append(os.Environ(), ownerVar+"=1")
	out, err := o.owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := o.owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(line, &o.pid, &o.dir, &o.guard); err != nil {
		t.Fatalf("the owner said %q: %v", line, err)
	}
	return o
}

func (o owned) kill(t *testing.T) {
	t.Helper()
	if err := o.owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = o.owner.Wait() // it was killed
}

// The server and its directory go when the owner is killed, also when the
// server is paused.
func TestDiesWithItsOwner(t *testing.T) {
	o := another(t)
	if err := syscall.Kill(o.pid, system.Stop); err != nil {
		t.Fatal(err)
	}
	o.kill(t)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(pollEvery) {
		_, err := os.Stat(o.dir)
		if os.IsNotExist(err) && !alive(o.pid) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s or process %d is left", o.dir, o.pid)
		}
	}
}

// What is left when the guard was killed, too, is found and removed with the server
// that runs in it; what is somebody's is not.
func TestClean(t *testing.T) {
	ctx := context.Background()
	tmp, err := os.MkdirTemp("", "ccheck-clean-") // not below a folder that is ours alone
	if err == nil {
		err = os.Chmod(tmp, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	t.Setenv("TMPDIR", tmp)
	lives, foreign := another(t), filepath.Join(tmp, prefix("sleeper")+"1")
	if err := errors.Join(os.Mkdir(foreign, 0o700), os.WriteFile(filepath.Join(foreign, ownerName), []byte("mine"), 0o600)); err != nil {
		t.Fatal(err)
	}
	orphan := another(t)
	if err := syscall.Kill(orphan.guard, system.Kill); err != nil {
		t.Fatal(err)
	}
	orphan.kill(t)
	if !alive(orphan.pid) {
		t.Fatal("the server has ended without its guard")
	}
	removed, err := Clean(ctx, "sleeper", tmp)
	if err != nil || len(removed) != 1 || removed[0] != orphan.dir {
		t.Errorf("removed %q, %v; want %s", removed, err, orphan.dir)
	}
	if alive(orphan.pid) {
		t.Errorf("process %d is left", orphan.pid)
	}
	for _, dir := range []string{lives.dir, foreign} {
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
	lives.kill(t)
}

// alive reports whether a process runs; a dead one that nobody reaps does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !os.IsNotExist(err)
	}
	return !strings.Contains(string(stat), ") Z ")
}
