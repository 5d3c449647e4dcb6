//go:build !unix

package app

import (
	"os"
	"os/exec"
)

// guard does nothing: these systems have no process groups to end.
type guard struct{}

func newGuard(int) (*guard, error) { return nil, nil }

func (*guard) close() {}

func ownGroup(*exec.Cmd) {}

func terminate(pid int) { kill(pid) }

func kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill() // one that is gone needs none
	}
}
