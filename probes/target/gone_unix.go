//go:build unix

package target

import (
	"errors"
	"os"
	"syscall"
)

// gone reports whether the process of a run is known to be no more: it was one
// of this machine, and the machine has none of that number.
func gone(r Run) bool {
	name, err := os.Hostname()
	if err != nil || word(name) != r.Host || r.PID <= 0 {
		return false
	}
	return errors.Is(syscall.Kill(r.PID, 0), syscall.ESRCH)
}
