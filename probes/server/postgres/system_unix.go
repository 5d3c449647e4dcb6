//go:build linux || darwin

package postgres

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// mayEnter reads the permission bits for search (directories) or execution.
func (a account) mayEnter(info fs.FileInfo) bool {
	stat := info.Sys().(*syscall.Stat_t)
	bit := fs.FileMode(0o001)
	switch {
	case int(stat.Uid) == a.UID:
		bit = 0o100
	case int(stat.Gid) == a.GID:
		bit = 0o010
	}
	return info.Mode()&bit != 0
}

// ours says whether a path belongs to the account or to this process's user.
func (a account) ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(stat.Uid) == a.UID || int(stat.Uid) == os.Geteuid())
}

// socketLimit is the size of sockaddr_un.sun_path less the final zero.
func socketLimit() int {
	if runtime.GOOS == "darwin" {
		return 103
	}
	return 107
}

// removeSegment removes the System V shared memory that a killed postmaster
// leaves behind, provided that it was made by that process; the number may
// belong to somebody else by now. It lives on until the last child has ended.
func (a account) removeSegment(id, creator int) error {
	var desc unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &desc); err != nil {
		return err
	}
	if int(desc.Perm.Uid) != a.UID || int(desc.Cpid) != creator {
		return fmt.Errorf("shared memory segment %d is somebody else's", id)
	}
	_, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	return err
}

// free returns the bytes that an ordinary user may still write below path.
func free(path string) uint64 {
	var stat unix.Statfs_t
	if err := unix.Statfs(path, &stat); err != nil {
		return 0
	}
	return stat.Bavail * uint64(stat.Bsize)
}
