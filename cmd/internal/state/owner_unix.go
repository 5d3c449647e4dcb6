//go:build unix

package state

import (
	"fmt"
	"os"
	"syscall"
)

// shared is the name of the user's folder where all users have theirs.
func shared() string { return fmt.Sprintf("ccheck-%d", os.Getuid()) }

// owned finds out whether a folder is the user's, and nobody else's to read or
// write.
func owned(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is no folder", dir)
	case ok && int(stat.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to another user", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to other users", dir)
	}
	return nil
}
