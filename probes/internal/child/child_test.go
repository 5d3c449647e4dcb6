//go:build unix

package child_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/internal/child"
)

const ownerVar = "CCHECK_TEST_OWNER"

// TestMain lets this binary be a process that has a child and is killed.
func TestMain(m *testing.M) {
	if os.Getenv(ownerVar) == "" {
		os.Exit(m.Run())
	}
	c, err := child.Start([]string{"sh", "-c", "echo up; sleep 1000"}, os.Environ())
	if err != nil {
		panic(err)
	}
	<-c.Lines()
	fmt.Println(c.PID())
	time.Sleep(time.Hour)
}

func start(t *testing.T, script string) *child.Child {
	t.Helper()
	c, err := child.Start([]string{"sh", "-c", script}, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

const echo = `while read -r line; do echo "$line"; done`

// A line was written after the output was last seen empty, and before it was read.
func TestLineBounds(t *testing.T) {
	c := start(t, echo)
	before, moved := time.Now(), false
	for i := 0; i < 500 && !moved; i++ {
		asked := time.Now()
		if err := c.Say(strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
		line := <-c.Lines()
		if line.Text != strconv.Itoa(i) || line.By.Before(asked) || line.After.After(line.By) {
			t.Fatalf("%d: %q between %v and %v, asked at %v", i, line.Text, line.After, line.By, asked)
		}
		moved = i > 0 && line.After.After(before)
		before = line.By
		time.Sleep(time.Millisecond)
	}
	if !moved {
		t.Error("an output that was empty in between was never seen so")
	}
}

// A process that is stopped says nothing, and what it was told waits.
func TestPause(t *testing.T) {
	c := start(t, echo)
	if err := c.Pause(); err != nil {
		t.Fatal(err)
	}
	if err := c.Say("x"); err != nil {
		t.Fatal(err)
	}
	select {
	case line := <-c.Lines():
		t.Fatalf("it said %q", line.Text)
	case <-time.After(50 * time.Millisecond):
	}
	resumed := time.Now()
	if err := c.Resume(); err != nil {
		t.Fatal(err)
	}
	if line := <-c.Lines(); line.Text != "x" || line.By.Before(resumed) {
		t.Errorf("%q by %v, resumed at %v", line.Text, line.By, resumed)
	}
}

// Kill hands over what was said before, and ends also what the process started.
func TestKill(t *testing.T) {
	c := start(t, `echo last >&2; sleep 1000 & echo $!; wait`)
	pid := (<-c.Lines()).Text
	if err := c.Kill(); err != nil {
		t.Error(err)
	}
	if _, open := <-c.Lines(); open || !c.Ended() {
		t.Error("it goes on")
	}
	if c.Last() != "last" {
		t.Errorf("it said last %q", c.Last())
	}
	gone(t, pid)
	if c.Pause() == nil {
		t.Error("a process that has ended was paused")
	}
}

// gone waits until a process has ended.
func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(pid))
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", n))
		if syscall.Kill(n, 0) != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is left", n)
}

// A stopped child does not outlive an owner that is killed.
func TestGuard(t *testing.T) {
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), ownerVar+"=1")
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	pid, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(strings.TrimSpace(pid))
	if err := syscall.Kill(-n, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	gone(t, pid)
}
