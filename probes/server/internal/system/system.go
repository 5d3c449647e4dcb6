// Package system is what the throw-away servers ask of the operating system:
// an unprivileged user to run as, signals, and the lock by which a live owner
// of a directory is told from a dead one. It knows no server. It may be
// imported by probes/server alone; Linux and macOS are served, elsewhere all
// calls answer ErrUnsupported.
package system

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// ErrUnsupported says that throw-away servers do not run on this system.
var ErrUnsupported = errors.New("throw-away servers run on Linux and macOS only: name a server of your own")

// ErrLocked says that another process holds the lock of a file.
var ErrLocked = errors.New("the file is locked by another process")

// Account is the user that a server runs as: an unprivileged one when we are
// root, else ourselves.
type Account struct {
	Name     string // of the user that was lent, else our number
	UID, GID int
	Drop     bool // privileges are dropped: we are root and the account is not
}

// GiveAll makes the account the owner of everything below dir.
func (a Account) GiveAll(dir string) error {
	if !a.Drop {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return a.Give(path)
	})
}
