//go:build linux || darwin

package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	osexec "os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

type signal = syscall.Signal

const (
	sigKill     = syscall.SIGKILL
	sigStop     = syscall.SIGSTOP
	sigContinue = syscall.SIGCONT
)

// account is the user that the server runs as: an unprivileged one when we are
// root, else ourselves.
type account struct {
	uid, gid int
	drop     bool
}

func findAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"nobody", "daemon"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseInt(u.Uid, 10, 64)
		gid, err2 := strconv.ParseInt(u.Gid, 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return account{}, fmt.Errorf("reading the ids of user %s: %w", name, err)
		}
		return account{uid: int(uint32(uid)), gid: int(uint32(gid)), drop: true}, nil // macOS writes -2
	}
	return account{}, errors.New("a throw-away server does not run as root, and there is no user nobody to run it as: start ccheck as an ordinary user")
}

// attributes puts a process into a session of its own, so that a Ctrl-C on our
// terminal is ours alone to handle.
func (a account) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if a.drop {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}

func (a account) give(path string) error {
	if !a.drop {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// giveAll makes the account the owner of everything below dir.
func (a account) giveAll(dir string) error {
	if !a.drop {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return a.give(path)
	})
}

// lock takes an exclusive lock on an open file without waiting for it. It ends with
// the process that has it.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// openOwner opens a file that somebody else may have put there: a link is not
// followed and a pipe does not block.
func openOwner(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

// runs reports whether the process is the server of the directory: its number may
// have been given to somebody else.
func runs(pid int, dir, address string) bool {
	if runtime.GOOS == "linux" {
		cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		return err == nil && strings.HasPrefix(cwd, dir+string(filepath.Separator))
	}
	out, err := osexec.Command("/bin/ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && (strings.Contains(string(out), dir) || strings.Contains(string(out), address))
}

func send(pid int, sig signal) error {
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("sending %s to process %d: %w", sig, pid, err)
	}
	return nil
}
