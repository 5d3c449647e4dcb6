//go:build !linux && !darwin

package postgres

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

var errUnsupported = errors.New("throw-away PostgreSQL servers run on Linux and macOS only: use --dsn with a server of your own")

func findAccount() (account, error) { return account{}, errUnsupported }

func (account) attributes() *syscall.SysProcAttr { return nil }

func (account) give(string) error { return errUnsupported }

func (account) mayEnter(fs.FileInfo) bool { return false }

func (account) ours(fs.FileInfo) bool { return false }

var errLocked = errUnsupported

func lock(*os.File) error { return errUnsupported }

func openOwner(string) (*os.File, error) { return nil, errUnsupported }

func socketLimit() int { return 0 }

const (
	sigFast = syscall.Signal(iota)
	sigImmediate
	sigKill
	sigStop
	sigContinue
)

func send(int, syscall.Signal) error { return errUnsupported }

func (account) removeSegment(int, int) error { return errUnsupported }

func arguments(int) string { return "" }

func free(string) uint64 { return 0 }
