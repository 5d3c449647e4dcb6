package a

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// thumbs is a cache on the disk.
type thumbCache struct{ dir string }

func stands(p string) bool {
	_, err := os.Stat(p)
	return !errors.Is(err, fs.ErrNotExist)
}

func (c thumbCache) load(key string, v any) (bool, error) {
	p := filepath.Join(c.dir, key)
	if !stands(p) {
		return false, nil
	}
	b, err := os.ReadFile(p) // want `os.Stat decides, and os.ReadFile uses the name again; it can be gone by then`
	if err != nil {
		return false, fmt.Errorf("reading the thumb: %w", err)
	}
	return true, json.Unmarshal(b, v)
}

// asked treats one that is gone as one that was never there.
func (c thumbCache) asked(key string) ([]byte, error) {
	p := filepath.Join(c.dir, key)
	if _, err := os.Stat(p); os.IsNotExist(err) {
		return nil, nil
	}
	b, err := os.ReadFile(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// must fails without the file, sooner or later.
func (c thumbCache) must(key string) ([]byte, error) {
	p := filepath.Join(c.dir, key)
	if _, err := os.Stat(p); os.IsNotExist(err) {
		return nil, errors.New("no such thumb")
	}
	return os.ReadFile(p)
}

// miss goes on without what it cannot read.
func (c thumbCache) miss(key string) ([]byte, bool) {
	p := filepath.Join(c.dir, key)
	if _, err := os.Stat(p); os.IsNotExist(err) {
		return nil, false
	}
	b, err := os.ReadFile(p)
	return b, err == nil
}

// settings are optional, and nobody takes them away.
func settings(p string) ([]byte, error) {
	if _, err := os.Stat(p); os.IsNotExist(err) {
		return nil, nil
	}
	return os.ReadFile(p)
}

// Open lets all in, unless the directory is a link.
func Open(dir string) error {
	fi, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if fi.IsDir() {
		return os.Chmod(dir, 0o755) // want `os.Lstat decides, and os.Chmod uses the name again`
	}
	return errors.New("no directory")
}

// OpenAny follows links, and says so.
func OpenAny(dir string) error {
	fi, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return errors.New("no directory")
	}
	return os.Chmod(dir, 0o755)
}

func alive(owner string) bool {
	pid, err := strconv.Atoi(owner)
	return err == nil && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// Seize removes the mark of one that has died.
func Seize(mark, me string) error {
	b, err := os.ReadFile(mark)
	if err == nil && !alive(string(b)) {
		if err := os.Remove(mark); err != nil { // want `os.ReadFile decides, and os.Remove uses the name again`
			return err
		}
	}
	return os.Symlink(me, mark)
}

// Leave removes its own mark, and makes none.
func Leave(mark, me string) error {
	b, err := os.ReadFile(mark)
	if err != nil || string(b) != me {
		return err
	}
	return os.Remove(mark)
}

// SeizeLocked has a lock over both.
func SeizeLocked(lock *os.File, mark, me string) error {
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if b, err := os.ReadFile(mark); err == nil && !alive(string(b)) {
		if err := os.Remove(mark); err != nil {
			return err
		}
	}
	return os.Symlink(me, mark)
}
