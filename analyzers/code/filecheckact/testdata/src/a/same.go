package a

import (
	"errors"
	"io"
	"os"
)

// Load opens what it has looked at: os.SameFile tells it when that was replaced.
func Load(path string) ([]byte, error) {
	seen, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if seen.Mode().Perm()&0o077 != 0 {
		return nil, errors.New("others can read it")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if have, err := f.Stat(); err != nil || !os.SameFile(seen, have) {
		return nil, errors.New("it was replaced")
	}
	return io.ReadAll(f)
}

// LoadOther compares what it has looked at with another file, and not with what it
// opens.
func LoadOther(path, other string) ([]byte, error) {
	seen, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	twin, err := os.Lstat(other)
	if err != nil {
		return nil, err
	}
	if seen.Mode().Perm()&0o077 != 0 || os.SameFile(seen, twin) {
		return nil, errors.New("others can read it")
	}
	f, err := os.Open(path) // want `os.Lstat decides, and os.Open uses the name again`
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Truncate opens what it has looked at, and has emptied it before it can tell.
func Truncate(path string) (*os.File, error) {
	seen, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, errors.New("no file")
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0) // want `os.Lstat decides, and os.OpenFile uses the name again`
	if err != nil {
		return nil, err
	}
	if have, err := f.Stat(); err != nil || !os.SameFile(seen, have) {
		return nil, errors.New("it was replaced")
	}
	return f, nil
}
