// Package unixonly compiles on Unix alone.
package unixonly

import "syscall"

// Stop ends a process.
func Stop(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }
