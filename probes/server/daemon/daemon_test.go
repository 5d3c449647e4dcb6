//go:build linux || darwin

package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
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
	fmt.Println(d.PID(), d.Dir())
	time.Sleep(time.Hour)
}

// The server and its directory go when the owner is killed, also when the
// server is paused.
func TestDiesWithItsOwner(t *testing.T) {
	cmd := osexec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), ownerVar+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	var dir string
	if _, err := fmt.Sscan(line, &pid, &dir); err != nil {
		t.Fatalf("the owner said %q: %v", line, err)
	}
	if err := syscall.Kill(pid, sigStop); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(pollEvery) {
		_, err := os.Stat(dir)
		if os.IsNotExist(err) && !alive(pid) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s or process %d is left", dir, pid)
		}
	}
}

// alive reports whether a process runs; a dead one that nobody reaps does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !os.IsNotExist(err)
	}
	return !strings.Contains(string(stat), ") Z ")
}
