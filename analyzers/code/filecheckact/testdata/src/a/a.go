package a

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

func exists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}

func Init(p string, b []byte) error {
	if exists(p) {
		return errors.New("exists")
	}
	return os.WriteFile(p, b, 0o600) // want `os.Stat decides, and os.WriteFile uses the name again`
}

func Create(p string) error {
	if _, err := os.Stat(p); errors.Is(err, fs.ErrNotExist) {
		f, err := os.Create(p) // want `os.Stat decides, and os.Create uses the name again`
		if err != nil {
			return err
		}
		return f.Close()
	}
	return nil
}

func OpenFile(p string) (*os.File, error) {
	if _, err := os.Lstat(p); err == nil {
		return nil, errors.New("exists")
	}
	return os.OpenFile(p, os.O_CREATE|os.O_WRONLY, 0o600) // want `os.Lstat decides, and os.OpenFile uses the name again`
}

func Mkdir(dir string) error {
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return os.Mkdir(dir, 0o700) // want `os.Stat decides, and os.Mkdir uses the name again`
	}
	return nil
}

func Move(src, dst string) error {
	if _, err := os.Stat(dst); err == nil {
		return errors.New("exists")
	}
	return os.Rename(src, dst) // want `os.Stat decides, and os.Rename uses the name again`
}

func Small(p string) ([]byte, error) {
	fi, err := os.Stat(p)
	if err != nil {
		return nil, err
	}
	if fi.Size() > 1024 {
		return nil, errors.New("too large")
	}
	return os.ReadFile(p) // want `os.Stat decides, and os.ReadFile uses the name again`
}

type exporter struct{ root string }

func (e *exporter) regular(name string) (string, error) {
	p := filepath.Join(e.root, name)
	fi, err := os.Lstat(p)
	if err != nil {
		return "", err
	}
	if !fi.Mode().IsRegular() {
		return "", errors.New("not a regular file")
	}
	return p, nil
}

func (e *exporter) Open(name string) (*os.File, error) {
	p, err := e.regular(name)
	if err != nil {
		return nil, err
	}
	return os.Open(p) // want `os.Lstat decides, and os.Open uses the name again`
}

func Stale(p string) error {
	fi, err := os.Stat(p)
	if err != nil {
		return err
	}
	if fi.ModTime().IsZero() {
		return os.Remove(p) // want `os.Stat decides, and os.Remove uses the name again`
	}
	return nil
}

// Near misses.

func Excl(p string) (*os.File, error) {
	if exists(p) {
		return nil, fmt.Errorf("%s exists", p)
	}
	return os.OpenFile(p, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

func MkdirAll(dir string) error {
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return os.MkdirAll(dir, 0o700)
	}
	return nil
}

func Private(names []string) error {
	dir, err := os.MkdirTemp("", "x-")
	if err != nil {
		return err
	}
	for _, n := range names {
		p := filepath.Join(dir, n)
		if _, err := os.Stat(p); err == nil {
			return errors.New("twice")
		}
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func Atomic(p string, b []byte) error {
	if exists(p) {
		return nil
	}
	if err := os.WriteFile(p+".tmp", b, 0o600); err != nil {
		return err
	}
	return os.Rename(p+".tmp", p)
}

func Locked(p string, l *os.File, b []byte) error {
	if err := syscall.Flock(int(l.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if exists(p) {
		return nil
	}
	return os.WriteFile(p, b, 0o600)
}

var mu sync.Mutex

func Mutex(p string, b []byte) error {
	mu.Lock()
	defer mu.Unlock()
	if exists(p) {
		return nil
	}
	return os.WriteFile(p, b, 0o600)
}

func Config(p string) ([]byte, error) {
	if !exists(p) {
		return []byte("default"), nil
	}
	return os.ReadFile(p)
}

func Dispatch(p string) error {
	fi, err := os.Stat(p)
	if err != nil {
		return err
	}
	if fi.IsDir() {
		return nil
	}
	_, err = os.ReadFile(p)
	return err
}

func Cleanup(p string) {
	if exists(p) {
		os.Remove(p)
	}
}

func Other(p, q string) error {
	if exists(p) {
		return nil
	}
	return os.WriteFile(q, nil, 0o600)
}

func Handle(p string) (int64, error) {
	f, err := os.Open(p)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}

func Next(dir string) (*os.File, error) {
	for i := 0; ; i++ {
		p := filepath.Join(dir, fmt.Sprint(i))
		if _, err := os.Stat(p); os.IsNotExist(err) {
			return os.Create(p) // want `os.Stat decides, and os.Create uses the name again`
		}
	}
}

func Within(root, name string) ([]byte, error) {
	p := filepath.Join(root, name)
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(real, root) {
		return nil, errors.New("outside")
	}
	return os.ReadFile(p) // want `filepath.EvalSymlinks decides, and os.ReadFile uses the name again`
}
