// Package guard starts a process that outlives us for a moment: it waits for
// our end, by whatever death, and then runs a script that takes down what we
// would have left behind. For throw-away servers and started applications. It
// knows nothing of what it takes down: the script does.
package guard

import (
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"sync"
	"syscall"
)

// Guard is the process. Its standard input is a pipe whose only writing end is
// in our process, closed on exec like every descriptor Go opens, so that its
// end means that we are gone, or that Close was called.
type Guard struct {
	cmd *osexec.Cmd
	mu  sync.Mutex
	in  io.WriteCloser
}

// Start starts /bin/sh with the script, which reads lines until there are no
// more and then acts; args are its $1, $2 … attr keeps the signals of our
// terminal away from it. name is what is guarded, for errors.
func Start(name, script string, attr *syscall.SysProcAttr, args ...string) (*Guard, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making the pipe of the guard of %s: %w", name, err)
	}
	defer read.Close()
	cmd := osexec.Command("/bin/sh", append([]string{"-c", script, "ccheck-guard"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.SysProcAttr = "/", []string{"PATH=/usr/bin:/bin"}, read, attr
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the guard of %s: %w", name, err), write.Close())
	}
	return &Guard{cmd: cmd, in: write}, nil
}

// Tell sends a line to the script.
func (g *Guard) Tell(line string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, err := io.WriteString(g.in, line+"\n"); err != nil {
		return fmt.Errorf("telling a guard: %w", err)
	}
	return nil
}

// PID is the process of the guard.
func (g *Guard) PID() int { return g.cmd.Process.Pid }

// Close lets the guard act and waits for it. One that was killed has nothing
// left to do, and that is no error; nor is a nil Guard.
func (g *Guard) Close() error {
	if g == nil {
		return nil
	}
	err := g.in.Close()
	var exit *osexec.ExitError
	if wait := g.cmd.Wait(); !errors.As(wait, &exit) {
		err = errors.Join(err, wait)
	}
	return err
}
