//go:build unix

package process

import "syscall"

type signal = syscall.Signal

const (
	sigStop     = syscall.SIGSTOP
	sigContinue = syscall.SIGCONT
	sigKill     = syscall.SIGKILL
)

// ownGroup makes the process the head of a group, so that a Ctrl-C on our
// terminal does not reach it and a pause reaches all that it starts.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func sendGroup(pid int, sig signal) error { return syscall.Kill(-pid, sig) }
