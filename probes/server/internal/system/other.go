//go:build !linux && !darwin

package system

import (
	"os"
	"syscall"
)

// The signals, of which none is sent here.
const (
	Interrupt = syscall.Signal(iota)
	Quit
	Kill
	Stop
	Continue
)

// Lend answers ErrUnsupported.
func Lend(...string) (Account, bool, error) { return Account{}, false, ErrUnsupported }

// Attributes are none.
func (Account) Attributes() *syscall.SysProcAttr { return nil }

// Give answers ErrUnsupported.
func (Account) Give(string) error { return ErrUnsupported }

// Lock answers ErrUnsupported.
func Lock(*os.File) error { return ErrUnsupported }

// OpenOwner answers ErrUnsupported.
func OpenOwner(string) (*os.File, error) { return nil, ErrUnsupported }

// Send answers ErrUnsupported.
func Send(int, syscall.Signal) error { return ErrUnsupported }

// Arguments are "".
func Arguments(int) string { return "" }
