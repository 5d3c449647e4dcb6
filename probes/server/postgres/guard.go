package postgres

import (
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"sync"
)

// watch is the guard's script; $1 is the directory of the server.
//
// Standard input is a pipe whose only writing end is in our process, closed on
// exec like every descriptor Go opens, so its end means that we are gone, by
// whatever death. Each line names the process that uses the directory now, or
// is empty. An immediate shutdown (SIGQUIT) makes a postmaster end its children
// within five seconds; a paused one must be continued to hear it. The pid file
// is asked as well as the process, because where nobody reaps orphans a
// finished process looks alive. A postmaster that misses all this, because it
// was started in the very moment we died, ends by itself within a minute of
// its pid file's removal.
const watch = `trap '' HUP INT QUIT TERM
pid=
while read -r line; do pid=$line; done
n=0
if [ -n "$pid" ]; then
	kill -QUIT "$pid"; kill -CONT "$pid"
	while [ $n -lt 80 ] && [ -e "$1/data/postmaster.pid" ] && kill -0 "$pid"; do sleep 0.1; n=$((n+1)); done
	[ -e "$1/data/postmaster.pid" ] && kill -KILL "$pid"
fi
until rm -rf "$1/data" && rm -rf "$1" || [ $n -ge 160 ]; do sleep 0.1; n=$((n+1)); done
`

// guard is the process that removes a server when its owner is gone.
type guard struct {
	cmd *osexec.Cmd
	mu  sync.Mutex
	in  io.WriteCloser // the writing end of the pipe
}

// newGuard starts the guard of a directory. It runs as we do, because the
// account may not remove the directory from its parent.
func newGuard(dir string) (*guard, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making the guard's pipe: %w", err)
	}
	defer read.Close()
	cmd := osexec.Command("/bin/sh", "-c", watch, "ccheck-guard", dir)
	cmd.Dir, cmd.Env, cmd.Stdin = "/", []string{"PATH=/usr/bin:/bin"}, read
	cmd.SysProcAttr = account{}.attributes()
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the guard of %s: %w", dir, err), write.Close())
	}
	return &guard{cmd: cmd, in: write}, nil
}

// watch tells the guard which process uses the directory; 0 is none.
func (g *guard) watch(pid int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	line := "\n"
	if pid != 0 {
		line = fmt.Sprintf("%d\n", pid)
	}
	if _, err := io.WriteString(g.in, line); err != nil {
		return fmt.Errorf("telling the guard about process %d: %w", pid, err)
	}
	return nil
}

// start starts a program under watch.
func (g *guard) start(cmd *osexec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	return g.watch(cmd.Process.Pid)
}

// run runs a program under watch to its end.
func (g *guard) run(cmd *osexec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	watch := g.watch(cmd.Process.Pid)
	return errors.Join(cmd.Wait(), watch, g.watch(0))
}

// close lets the guard go: it removes the directory, if it is still there, and
// ends. A guard that was killed has nothing left to do.
func (g *guard) close() error {
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
