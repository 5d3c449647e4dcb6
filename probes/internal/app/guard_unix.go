//go:build unix

package app

import (
	"os/exec"
	"strconv"
	"syscall"

	"github.com/ccheck/ccheck/probes/internal/guard"
)

// watch is the guard's script; $1 is the process group of the application. A
// line lets the guard go.
const watch = `trap '' HUP INT QUIT TERM
read -r line && exit
kill -KILL -"$1"
`

func newGuard(group int) (*guard.Guard, error) {
	return guard.Start("the application", watch, own, strconv.Itoa(group))
}

// own puts a process into a group of its own.
var own = &syscall.SysProcAttr{Setpgid: true}

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = own }

// terminate and kill act on the whole group; one that is gone is no error.
func terminate(group int) { _ = syscall.Kill(-group, syscall.SIGTERM) }
func kill(group int)      { _ = syscall.Kill(-group, syscall.SIGKILL) }
