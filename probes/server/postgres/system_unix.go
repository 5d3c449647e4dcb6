//go:build linux || darwin

package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	osexec "os/exec"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// lenders are the users that root may run a server as, best first.
var lenders = []string{"postgres", "_postgres", "nobody", "daemon"}

func findAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{name: strconv.Itoa(os.Geteuid()), uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	for _, name := range lenders {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		// The ids of macOS's nobody are written as negative numbers.
		uid, err1 := strconv.ParseInt(u.Uid, 10, 64)
		gid, err2 := strconv.ParseInt(u.Gid, 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return account{}, fmt.Errorf("reading the ids of user %s: %w", name, err)
		}
		return account{name: name, uid: int(uint32(uid)), gid: int(uint32(gid)), drop: true}, nil
	}
	return account{}, errors.New("PostgreSQL must not run as root and there is no user postgres or nobody to run it as: add one with useradd --system postgres, or start ccheck as an ordinary user")
}

func (a account) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if a.drop {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}

// give makes the account the owner of a path.
func (a account) give(path string) error {
	if !a.drop {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// mayEnter reads the permission bits for search (directories) or execution.
func (a account) mayEnter(info fs.FileInfo) bool {
	stat := info.Sys().(*syscall.Stat_t)
	bit := fs.FileMode(0o001)
	switch {
	case int(stat.Uid) == a.uid:
		bit = 0o100
	case int(stat.Gid) == a.gid:
		bit = 0o010
	}
	return info.Mode()&bit != 0
}

// ours says whether a path belongs to the account or to this process's user.
func (a account) ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(stat.Uid) == a.uid || int(stat.Uid) == os.Geteuid())
}

// errLocked says that another process holds the lock.
var errLocked = errors.New("the file is locked by another process")

// lock takes an exclusive lock on an open file without waiting for it. It is
// the file's, not the process's: it ends when the last descriptor is closed,
// which the kernel does at the latest when the process dies.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// openOwner opens a file that somebody else may have put there: a link is not
// followed and a pipe does not block.
func openOwner(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

// socketLimit is the size of sockaddr_un.sun_path less the final zero.
func socketLimit() int {
	if runtime.GOOS == "darwin" {
		return 103
	}
	return 107
}

const (
	sigFast      = syscall.SIGINT  // disconnect everybody, write a checkpoint
	sigImmediate = syscall.SIGQUIT // end at once, as a crash would
	sigKill      = syscall.SIGKILL
	sigStop      = syscall.SIGSTOP
	sigContinue  = syscall.SIGCONT
)

func send(pid int, sig syscall.Signal) error {
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("sending %s to process %d: %w", sig, pid, err)
	}
	return nil
}

// removeSegment removes the System V shared memory that a killed postmaster
// leaves behind, provided that it was made by that process; the number may
// belong to somebody else by now. It lives on until the last child has ended.
func (a account) removeSegment(id, creator int) error {
	var desc unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &desc); err != nil {
		return err
	}
	if int(desc.Perm.Uid) != a.uid || int(desc.Cpid) != creator {
		return fmt.Errorf("shared memory segment %d is somebody else's", id)
	}
	_, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	return err
}

// arguments returns the command line of a process, "" when there is none. A
// system without /proc is asked through ps.
func arguments(pid int) string {
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

// free returns the bytes that an ordinary user may still write below path.
func free(path string) uint64 {
	var stat unix.Statfs_t
	if err := unix.Statfs(path, &stat); err != nil {
		return 0
	}
	return stat.Bavail * uint64(stat.Bsize)
}
