//go:build linux || darwin

package system

import (
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The signals, by what a server does at them.
const (
	Interrupt = syscall.SIGINT
	Quit      = syscall.SIGQUIT
	Kill      = syscall.SIGKILL
	Stop      = syscall.SIGSTOP
	Continue  = syscall.SIGCONT
)

// Lend finds the account to run a server as. Root lends the first of the users
// that exists; when none does, ok is false.
func Lend(users ...string) (a Account, ok bool, err error) {
	if os.Geteuid() != 0 {
		return Account{Name: strconv.Itoa(os.Geteuid()), UID: os.Geteuid(), GID: os.Getegid()}, true, nil
	}
	for _, name := range users {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		// The ids of macOS's nobody are written as negative numbers.
		uid, err1 := strconv.ParseInt(u.Uid, 10, 64)
		gid, err2 := strconv.ParseInt(u.Gid, 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return Account{}, false, fmt.Errorf("reading the ids of user %s: %w", name, err)
		}
		return Account{Name: name, UID: int(uint32(uid)), GID: int(uint32(gid)), Drop: true}, true, nil
	}
	return Account{}, false, nil
}

// Attributes put a process into a session of its own, so that a Ctrl-C on our
// terminal is ours alone to handle, and let it run as the account.
func (a Account) Attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if a.Drop {
		attr.Credential = &syscall.Credential{Uid: uint32(a.UID), Gid: uint32(a.GID)}
	}
	return attr
}

// Give makes the account the owner of a path.
func (a Account) Give(path string) error {
	if !a.Drop {
		return nil
	}
	return os.Lchown(path, a.UID, a.GID)
}

// Lock takes an exclusive lock on an open file without waiting for it. It is
// the file's, not the process's: it ends when the last descriptor is closed,
// which the kernel does at the latest when the process dies.
func Lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// OpenOwner opens a file that somebody else may have put there: a link is not
// followed and a pipe does not block.
func OpenOwner(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

// Send sends a signal to a process, or with a negative number to a group. One
// that has ended is no error.
func Send(pid int, sig syscall.Signal) error {
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("sending %s to process %d: %w", sig, pid, err)
	}
	return nil
}

// Arguments returns the command line of a process, "" when there is none. A
// system without /proc is asked through ps.
func Arguments(pid int) string {
	id := strconv.Itoa(pid)
	if runtime.GOOS == "linux" {
		text, err := os.ReadFile("/proc/" + id + "/cmdline")
		if err != nil {
			return ""
		}
		return strings.ReplaceAll(string(text), "\x00", " ")
	}
	out, err := osexec.Command("/bin/ps", "-o", "command=", "-p", id).Output()
	if err != nil {
		return "" // ps exits with 1 for a process that is not
	}
	return string(out)
}
