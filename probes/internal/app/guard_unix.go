//go:build unix

package app

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// watch is the guard's script; $1 is the process group of the application. Its
// standard input is a pipe whose only writing end is ours, closed on exec, so
// its end means that we are gone, by whatever death, or want the guard to go.
const watch = `trap '' HUP INT QUIT TERM
read -r line && exit
kill -KILL -"$1"
`

// guard is the process that ends the application when ccheck is gone.
type guard struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

func newGuard(group int) (*guard, error) {
	cmd := exec.Command("/bin/sh", "-c", watch, "ccheck-guard", strconv.Itoa(group))
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	ownGroup(cmd)
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making the pipe of the application's guard: %w", err)
	}
	defer read.Close()
	cmd.Stdin = read
	if err := cmd.Start(); err != nil {
		write.Close()
		return nil, fmt.Errorf("starting the application's guard: %w", err)
	}
	return &guard{cmd: cmd, in: write}, nil
}

// close lets the guard go: a line tells it that there is nothing to end.
func (g *guard) close() {
	if g == nil {
		return
	}
	_, _ = io.WriteString(g.in, "\n") // a guard that was killed has nothing to hear
	_ = g.in.Close()
	_ = g.cmd.Wait()
}

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate and kill act on the whole group; one that is gone is no error.
func terminate(group int) { _ = syscall.Kill(-group, syscall.SIGTERM) }
func kill(group int)      { _ = syscall.Kill(-group, syscall.SIGKILL) }
