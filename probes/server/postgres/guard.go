package postgres

import (
	"errors"
	"fmt"
	osexec "os/exec"

	"github.com/ccheck/ccheck/probes/internal/guard"
	"github.com/ccheck/ccheck/probes/server/internal/system"
)

// watch is the guard's script; $1 is the directory of the server.
//
// Each line names the process that uses the directory now, or
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

// newGuard starts the process that removes a server when its owner is gone. It
// runs as we do, because the account may not remove the directory from its
// parent.
func newGuard(dir string) (*guard.Guard, error) {
	return guard.Start(dir, watch, system.Account{}.Attributes(), dir)
}

// watching tells the guard which process uses the directory; 0 is none.
func (h *home) watching(pid int) error {
	line := ""
	if pid != 0 {
		line = fmt.Sprint(pid)
	}
	return h.guard.Tell(line)
}

// start starts a program under watch.
func (h *home) start(cmd *osexec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	return h.watching(cmd.Process.Pid)
}

// run runs a program under watch to its end.
func (h *home) run(cmd *osexec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	watch := h.watching(cmd.Process.Pid)
	return errors.Join(cmd.Wait(), watch, h.watching(0))
}
