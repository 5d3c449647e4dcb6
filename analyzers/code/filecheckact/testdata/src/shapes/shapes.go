// Package shapes has checks and acts of many shapes: an edit is right for some.
package shapes

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
)

// Named has named results.
func Named(p string) (f *os.File, err error) {
	if _, err = os.Stat(p); err == nil {
		err = errors.New("exists")
		return
	}
	f, err = os.Create(p) // want "uses the name again"
	return
}

// Truncate empties a file that must be there.
func Truncate(p string) (*os.File, error) {
	if _, err := os.Stat(p); err != nil {
		return nil, fmt.Errorf("no such: %w", err)
	}
	return os.Create(p)
}

// Append appends to a file that must be there.
func Append(p string) (*os.File, error) {
	if _, err := os.Stat(p); os.IsNotExist(err) {
		return nil, err
	}
	return os.OpenFile(p, os.O_APPEND|os.O_WRONLY, 0o600)
}

// Trunc2 opens with O_TRUNC what is there.
func Trunc2(p string) (*os.File, error) {
	if _, err := os.Stat(p); err == nil {
		return os.OpenFile(p, os.O_WRONLY|os.O_TRUNC, 0)
	}
	return os.OpenFile(p, os.O_WRONLY|os.O_CREATE, 0o600) // want "uses the name again"
}

// Trunc3 truncates with O_CREATE what is there.
func Trunc3(p string) (*os.File, error) {
	if _, err := os.Stat(p); err == nil {
		return os.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	}
	return nil, os.ErrNotExist
}

// Claim makes the folder, and it must be new.
func Claim(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return errors.New("claimed by another")
	}
	return os.Mkdir(dir, 0o700)
}

// EnsureDir refuses a file, and is content with a directory that is there.
func EnsureDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return errors.New("a file is in the way")
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return os.Mkdir(dir, 0o700) // want "uses the name again"
}

// EnsureNoFile asks for the file first.
func EnsureNoFile(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return errors.New("a file is in the way")
	}
	if err == nil {
		return nil
	}
	return os.Mkdir(dir, 0o700) // want "uses the name again"
}

// ClaimDir refuses a directory that is there; of a file Mkdir itself tells.
func ClaimDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return errors.New("claimed by another")
	}
	return os.Mkdir(dir, 0o700)
}

// ClaimNew refuses whatever is there, a file in words of its own.
func ClaimNew(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return errors.New("a file is in the way")
	}
	if err == nil {
		return errors.New("claimed by another")
	}
	return os.Mkdir(dir, 0o700)
}

// ClaimIf is the same by another shape.
func ClaimIf(dir string) (bool, error) {
	_, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(dir, 0o700); err != nil { // want "uses the name again"
			return false, err
		}
		return true, nil
	}
	return false, err
}

// Ensure makes it when it is not there.
func Ensure(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	return os.Mkdir(dir, 0o700) // want "uses the name again"
}

// EnsureAll has a method value.
func EnsureAll(dir string) error {
	mk := os.Mkdir
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return mk(dir, 0o700) // want "uses the name again"
	}
	return nil
}

// EnsureExist accepts.
func EnsureExist(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
			return err
		}
	}
	return nil
}

// A helper is called by another name, with other arguments.
type store struct{ dir string }

func (s store) create(p string) (*os.File, error) { return os.Create(p) }
func (s store) open(p string, flag int, m os.FileMode) (*os.File, error) {
	return os.OpenFile(p, flag|os.O_CREATE, m)
}
func (s store) mkdir(p string, m os.FileMode) error { return os.Mkdir(p, m) }

func (s store) Make(p string) (*os.File, error) {
	if _, err := os.Stat(p); err == nil {
		return nil, errors.New("exists")
	}
	return s.create(p) // want "uses the name again"
}

func (s store) Make2(p string) (*os.File, error) {
	if _, err := os.Stat(p); err == nil {
		return nil, errors.New("exists")
	}
	return s.open(p, os.O_WRONLY, 0o600)
}

func (s store) Dir(p string) error {
	if _, err := os.Stat(p); os.IsNotExist(err) {
		return s.mkdir(p, 0o700) // want "uses the name again"
	}
	return nil
}

func exists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}

// Create is generic.
func Create[T ~string](p T) (*os.File, error) {
	if exists(string(p)) {
		return nil, errors.New("exists")
	}
	// between
	log.Println("new", p)
	f, _ := os.Create(string(p)) // the new one // want "uses the name again"
	return f, nil
}

// Touch makes it when it is missing, and opens it after.
func Touch(p string) (*os.File, error) {
	if !exists(p) {
		f, err := os.Create(p) // want "uses the name again"
		if err != nil {
			return nil, err
		}
		f.Close()
	}
	return os.OpenFile(p, os.O_RDWR, 0)
}

// Either opens one that is there, or a new one.
func Either(p string) (f *os.File, err error) {
	if exists(p) {
		f, err = os.OpenFile(p, os.O_RDWR|os.O_APPEND, 0)
	} else {
		f, err = os.Create(p) // want "uses the name again"
	}
	return f, err
}

// Fresh removes what is there.
func Fresh(p string) (*os.File, error) {
	if exists(p) {
		if err := os.Remove(p); err != nil {
			return nil, err
		}
	}
	return os.Create(p) // want "uses the name again"
}

// Log begins a header in a new file.
func Log(p string) (*os.File, error) {
	fresh := !exists(p)
	f, err := os.OpenFile(p, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil && fresh {
		f.WriteString("header\n")
	}
	return f, err
}

// Shadow has a name in the way.
func Shadow(p string) error {
	if exists(p) {
		return errors.New("there")
	}
	os := os.Create
	f, err := os(p) // want "uses the name again"
	if err == nil {
		f.Close()
	}
	return err
}

// Bak makes a copy of what is there.
func Bak(p string) (*os.File, error) {
	if exists(p) {
		log.Println("overwriting", p)
	}
	return os.Create(p)
}

// Force means to overwrite.
func Force(p string, force bool) (*os.File, error) {
	if exists(p) && !force {
		return nil, errors.New("exists; use --force")
	}
	return os.Create(p) // want "uses the name again"
}

func Force2(p string, force bool) (*os.File, error) {
	if !force {
		if _, err := os.Stat(p); err == nil {
			return nil, errors.New("exists; use --force")
		}
	}
	return os.Create(p) // want "uses the name again"
}

func Folder(p string) (*os.File, error) {
	if fi, err := os.Stat(p); err == nil && fi.IsDir() {
		return nil, errors.New("a folder")
	}
	return os.Create(p)
}

func Link(p string) (*os.File, error) {
	fi, err := os.Lstat(p)
	if err != nil {
		return nil, err
	}
	if fi.Mode()&os.ModeSymlink != 0 {
		return nil, errors.New("a link")
	}
	return os.OpenFile(p, os.O_RDWR, 0) // want "uses the name again"
}

func Big(p string) (*os.File, error) {
	fi, err := os.Stat(p)
	if err == nil && fi.Size() > 100 {
		return nil, errors.New("big")
	}
	return os.OpenFile(p, os.O_RDWR|os.O_CREATE, 0o600) // want "uses the name again"
}

func Within(p string) (*os.File, error) {
	if !exists(p) {
		f, err := os.Create(p) // want "uses the name again"
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	return nil, errors.New("exists")
}

func Err(p string) (*os.File, error) {
	_, err := os.Stat(p)
	if !os.IsNotExist(err) {
		return nil, errors.New("exists")
	}
	return os.OpenFile(p, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600) // want "uses the name again"
}
