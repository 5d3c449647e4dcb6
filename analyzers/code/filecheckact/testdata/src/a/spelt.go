package a

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
)

var errNamed = errors.New("taken")

// tidy answers with the same path, written in another way.
func tidy(p string) (string, error) {
	if p == "" {
		return "", errors.New("no path")
	}
	return filepath.Clean(p), nil
}

func put(p string, b []byte) error {
	p, err := tidy(p)
	if err != nil {
		return err
	}
	return os.WriteFile(p, b, 0o600)
}

func Claim(dir, name string) error {
	at := filepath.Join(dir, url.PathEscape(name))
	if _, err := os.Stat(at); err == nil {
		return errNamed
	}
	return put(filepath.Join(dir, url.PathEscape(name)), nil) // want `check then act on a path`
}

func Beside(dir, name, other string) error {
	if _, err := os.Stat(filepath.Join(dir, url.PathEscape(name))); err == nil {
		return errNamed
	}
	return put(filepath.Join(dir, url.PathEscape(other)), nil)
}
