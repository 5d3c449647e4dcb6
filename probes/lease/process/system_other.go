//go:build !unix

package process

import (
	"errors"
	"syscall"
)

type signal int

const (
	sigStop signal = iota
	sigContinue
	sigKill
)

func ownGroup() *syscall.SysProcAttr { return nil }

func sendGroup(int, signal) error {
	return errors.New("this system has no signal that pauses a process")
}
