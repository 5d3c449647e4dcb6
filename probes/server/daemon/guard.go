package daemon

import (
	"fmt"
	osexec "os/exec"

	"github.com/ccheck/ccheck/probes/internal/guard"
	"github.com/ccheck/ccheck/probes/server/internal/system"
)

// watch is the guard's script; $1 is the directory. Each line names the process
// that runs now. SIGKILL reaches a stopped process, too.
const watch = `trap '' HUP INT QUIT TERM
pid=
while read -r next; do pid=$next; done
[ -d "$1" ] || exit 0
[ -n "$pid" ] && kill -KILL "$pid" 2>/dev/null
n=0
until rm -rf "$1" || [ $n -ge 50 ]; do sleep 0.1; n=$((n+1)); done
`

// newGuard starts the process that ends the server and removes its directory
// when we cannot do it any more.
func newGuard(dir string) (*guard.Guard, error) {
	return guard.Start(dir, watch, system.Account{}.Attributes(), dir)
}

// start starts the server and tells the guard.
func start(g *guard.Guard, cmd *osexec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	return g.Tell(fmt.Sprint(cmd.Process.Pid))
}
