package a

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

var errTaken = errors.New("taken")

// The word that what is there stays is not kept.
func NoClobber(dst string, b []byte, force bool) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(dst), "x-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(b); err != nil {
		return err
	}
	if !force && exists(dst) {
		return fmt.Errorf("%s: %w", dst, errTaken)
	}
	return os.Rename(tmp.Name(), dst) // want `os.Stat decides, and os.Rename uses the name again`
}

func Publish(stage, dst string) error {
	part := dst + ".part"
	if err := os.WriteFile(part, []byte(stage), 0o600); err != nil {
		return err
	}
	if _, err := os.Lstat(dst); !errors.Is(err, fs.ErrNotExist) {
		return errTaken
	}
	return os.Rename(part, dst) // want `os.Lstat decides, and os.Rename uses the name again`
}

// A cache gives no such word: both move the same bytes into place.
func Cached(dst string, b []byte) (string, error) {
	if exists(dst) {
		return dst, nil
	}
	part := dst + ".part"
	if err := os.WriteFile(part, b, 0o600); err != nil {
		return "", err
	}
	return dst, os.Rename(part, dst)
}

// A helper answers with a name that was free.
func free(dir string) string {
	for i := 0; ; i++ {
		name := dir + "-" + strconv.Itoa(i)
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return name
		}
	}
}

func Workspace(dir string) (string, error) {
	name := free(dir)
	return name, os.MkdirAll(name, 0o700) // want `os.Stat decides, and os.MkdirAll uses the name again`
}

func freeFile(dir, name string) string {
	p := filepath.Join(dir, name)
	for i := 1; exists(p); i++ {
		p = filepath.Join(dir, fmt.Sprintf("%d-%s", i, name))
	}
	return p
}

func Save(dir, name string, b []byte) error {
	return os.WriteFile(freeFile(dir, name), b, 0o600) // want `os.Stat decides, and os.WriteFile uses the name again`
}

// One of some given places is no search.
func place(home string) string {
	for _, dir := range []string{".config", ".local"} {
		if exists(filepath.Join(home, dir)) {
			return filepath.Join(home, dir)
		}
	}
	return home
}

func Settings(home string) error { return os.MkdirAll(place(home), 0o700) }

// A number after the last one in a directory.
func NextWal(dir string, b []byte) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%06d.wal", len(entries)+1)), b, 0o600) // want `os.ReadDir decides, and os.WriteFile uses the name again`
}

func NextWalAlone(dir string, b []byte) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(len(entries))), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// What a listing names is written beside it, one by one.
func Backup(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for i, e := range entries {
		if err := os.WriteFile(filepath.Join(dir, e.Name()+strconv.Itoa(i)), nil, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// An empty directory is removed with what came into it.
func Replace(stage, dir string) error {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		return errTaken
	}
	if err := os.RemoveAll(dir); err != nil { // want `os.ReadDir decides, and os.RemoveAll uses the name again`
		return err
	}
	return os.Rename(stage, dir)
}

func Tidy(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		return err
	}
	return os.Remove(dir)
}
