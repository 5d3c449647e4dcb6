//go:build unix

package process

import (
	"errors"
	"fmt"
	"syscall"
)

// OpenInspector asks a Node process to open its inspector, as `node --inspect`
// does (SIGUSR1, Node's manual, "Debugger").
func OpenInspector(pid int) error {
	err := syscall.Kill(pid, syscall.SIGUSR1)
	if errors.Is(err, syscall.ESRCH) {
		return ErrGone
	}
	if err != nil {
		return fmt.Errorf("sending SIGUSR1 to process %d: %w", pid, err)
	}
	return nil
}
