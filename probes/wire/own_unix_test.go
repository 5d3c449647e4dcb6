//go:build unix

package wire_test

import (
	"io/fs"
	"os"
	"syscall"
)

// own gives a file to the owner of another, as the server's key has to be.
func own(path string, like fs.FileInfo) error {
	if s, ok := like.Sys().(*syscall.Stat_t); ok {
		return os.Chown(path, int(s.Uid), int(s.Gid))
	}
	return nil
}
