//go:build !linux && !darwin

package daemon

import (
	"errors"
	"os"
	"syscall"
)

type signal int

const (
	sigKill signal = iota
	sigStop
	sigContinue
)

type account struct{}

var errUnsupported = errors.New("throw-away servers run on Linux and macOS only: name a server of your own")

func findAccount() (account, error) { return account{}, errUnsupported }

func (account) attributes() *syscall.SysProcAttr { return nil }

func (account) give(string) error { return errUnsupported }

func (account) giveAll(string) error { return errUnsupported }

func send(int, signal) error { return errUnsupported }

func lock(*os.File) error { return errUnsupported }

func openOwner(path string) (*os.File, error) { return os.Open(path) }

func runs(int, string, string) bool { return false }
