package a

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"syscall"
)

// reclaim is called by one that holds a lock on the file beside.
func reclaim(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return errors.New("not a socket")
	}
	return os.Remove(path)
}

func listenLocked(path string) (net.Listener, error) {
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	return prepared(path)
}

// prepared takes no lock itself: the one who calls it has.
func prepared(path string) (net.Listener, error) {
	if err := reclaim(path); err != nil {
		return nil, err
	}
	return net.Listen("unix", path)
}

var _ = listenLocked

// reclaimAnyhow is called by one that holds no lock too.
func reclaimAnyhow(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return errors.New("not a socket")
	}
	return os.Remove(path) // want `check then act on a path`
}

func lockedAnyhow(path string, lock *os.File) error {
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return reclaimAnyhow(path)
}

func openAnyhow(path string) error { return reclaimAnyhow(path) }

var _, _ = lockedAnyhow, openAnyhow
