package daemon

import (
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"sync"
)

// watch is the guard's script; $1 is the directory. Its standard input is a pipe
// whose other end only we hold, so that it ends with us however we end. Each line
// names the process that runs now. SIGKILL reaches a stopped process, too.
const watch = `trap '' HUP INT QUIT TERM
pid=
while read -r next; do pid=$next; done
[ -d "$1" ] || exit 0
[ -n "$pid" ] && kill -KILL "$pid" 2>/dev/null
n=0
until rm -rf "$1" || [ $n -ge 50 ]; do sleep 0.1; n=$((n+1)); done
`

// guard is the process that ends the server and removes its directory when we
// cannot do it any more.
type guard struct {
	cmd *osexec.Cmd
	mu  sync.Mutex
	in  io.WriteCloser
}

func newGuard(dir string) (*guard, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making the pipe of a guard: %w", err)
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

// start starts the server and tells the guard.
func (g *guard) start(cmd *osexec.Cmd) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(g.in, "%d\n", cmd.Process.Pid)
	return err
}

// close lets the guard go. One that was killed has nothing left to do.
func (g *guard) close() error {
	err := g.in.Close()
	var exited *osexec.ExitError
	if wait := g.cmd.Wait(); !errors.As(wait, &exited) {
		err = errors.Join(err, wait)
	}
	return err
}
