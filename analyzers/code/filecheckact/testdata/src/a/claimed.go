package a

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

type pidFile struct{ path string }

func (p pidFile) alive() bool {
	b, err := os.ReadFile(p.path)
	if err != nil {
		return false
	}
	n, err := strconv.Atoi(string(b))
	return err == nil && syscall.Kill(n, 0) == nil
}

func (p pidFile) Acquire() error {
	if p.alive() {
		return errors.New("running already")
	}
	return os.WriteFile(p.path, []byte(strconv.Itoa(os.Getpid())), 0o644) // want `check then act on a path`
}

func ReadOrInit(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, os.WriteFile(path, []byte("{}"), 0o600) // want `check then act on a path`
	}
	return b, err
}

// Edit reads a file and writes it changed.
func Edit(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	out := bytes.ReplaceAll(b, []byte("1"), []byte("2"))
	if bytes.Equal(out, b) {
		return nil
	}
	return os.WriteFile(path, out, 0o644)
}

func there(path string) bool {
	if _, err := os.Lstat(path); err == nil {
		return true
	}
	return false
}

func moveTo(src, dst string, force bool) error {
	if !force && there(dst) {
		return errors.New("there already")
	}
	return os.Rename(src, dst) // want `check then act on a path`
}

// Ensure accepts that somebody else was faster.
func Ensure(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// rotate moves a file to the first name that is free.
func rotate(src string) error {
	for i := 1; ; i++ {
		dst := src + "." + strconv.Itoa(i)
		if _, err := os.Stat(dst); os.IsNotExist(err) {
			return os.Rename(src, dst) // want `check then act on a path`
		}
	}
}
