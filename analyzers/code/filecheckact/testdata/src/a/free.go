package a

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A helper refuses a name because something is there.
func unused(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is taken", path)
	}
	return nil
}

func putBack(aside, path string) error {
	if err := unused(path); err != nil {
		return err
	}
	return os.Rename(aside, path) // want `os.Lstat decides, and os.Rename uses the name again`
}

// The same, with the other errors told apart.
func vacant(path string) error {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errInUse
}

var errInUse = errors.New("the name is taken")

func begin(path string, b []byte) error {
	if err := vacant(path); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600) // want `os.Stat decides, and os.WriteFile uses the name again`
}

// The same with one return.
func fresh(path string) (err error) {
	if _, found := os.Stat(path); !os.IsNotExist(found) {
		err = errInUse
	}
	return err
}

func start(path string) (*os.File, error) {
	if err := fresh(path); err != nil {
		return nil, err
	}
	return os.Create(path) // want `os.Stat decides, and os.Create uses the name again`
}

func present(path string) (err error) {
	if _, found := os.Stat(path); os.IsNotExist(found) {
		err = errors.New("no such file")
	}
	return err
}

func restart(path string) (*os.File, error) {
	if err := present(path); err != nil {
		return nil, err
	}
	return os.Create(path)
}

// The same with something to do at the end.
func spare(path string, done func()) error {
	defer done()
	if _, err := os.Stat(path); err == nil {
		return errInUse
	}
	return nil
}

func startLater(path string, done func()) (*os.File, error) {
	if err := spare(path, done); err != nil {
		return nil, err
	}
	return os.Create(path) // want `os.Stat decides, and os.Create uses the name again`
}

// A helper that refuses what is not there lets through what is.
func needed(path string) error {
	if _, err := os.Stat(path); err != nil {
		return errors.New("no such project")
	}
	return nil
}

func overwrite(path string, b []byte) error {
	if err := needed(path); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

// One that removes what is there says nothing of what is there afterwards.
func cleared(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clearing: %w", err)
	}
	return nil
}

func afresh(path string, b []byte) error {
	if err := cleared(path); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

// Only a directory is refused: a file that is there is to be written over.
func store(path string, b []byte) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return errors.New("a directory")
	}
	return os.WriteFile(path, b, 0o600)
}

// Only a directory is let through, as far as anything is there.
func replaceDir(path string, b []byte) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return errInUse
	}
	return os.WriteFile(path, b, 0o600) // want `os.Stat decides, and os.WriteFile uses the name again`
}

// The path that was resolved is judged, and then used by name.
type docs struct{ base string }

func (d docs) within(name string) (string, error) {
	full, err := filepath.EvalSymlinks(filepath.Join(d.base, name))
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(full, d.base+string(filepath.Separator)) {
		return "", errors.New("outside")
	}
	return full, nil
}

func (d docs) open(name string) (*os.File, error) {
	full, err := d.within(name)
	if err != nil {
		return nil, err
	}
	return os.Open(full) // want `filepath.EvalSymlinks decides, and os.Open uses the name again`
}

func (d docs) put(name string, b []byte) error {
	dir, err := filepath.EvalSymlinks(filepath.Join(d.base, filepath.Dir(name)))
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(d.base, dir)
	if err != nil || strings.HasPrefix(rel, "..") {
		return errors.New("outside")
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(name)), b, 0o600) // want `filepath.EvalSymlinks decides, and os.WriteFile uses the name again`
}

// A path that is resolved and not judged is only another name.
func resolve(path string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(real)
}

// The next number is what the file had, and one more.
func nextID(path string) (int, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0, err
	}
	return n + 1, os.WriteFile(path, []byte(strconv.Itoa(n+1)), 0o600) // want `os.ReadFile decides, and os.WriteFile uses the name again; another number`
}

// The same behind two helpers.
func readCount(path string) (uint64, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(string(b), 10, 64)
}

func writeCount(path string, n uint64) error {
	return os.WriteFile(path, fmt.Appendf(nil, "%d\n", n), 0o600)
}

func bump(dir string) error {
	path := filepath.Join(dir, "counter")
	n, err := readCount(path)
	if err != nil {
		return err
	}
	n++
	return writeCount(path, n) // want `os.ReadFile decides, and os.WriteFile uses the name again; another number`
}

// A setting is changed, and nothing counted.
func rename(path, from, to string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.ReplaceAll(string(b), from, to)+"\n"), 0o600)
}

// What was counted goes into another file.
func report(in, out string) error {
	n, err := readCount(in)
	if err != nil {
		return err
	}
	return writeCount(out, n+1)
}
