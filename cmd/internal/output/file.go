package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// file is an output file that appears whole or not at all: it is written under
// a temporary name beside its place and renamed when it is complete, so that
// nobody reads half a document and a failed run leaves the old one. A stream
// is written in place instead.
type file struct {
	*os.File
	path   string
	stream bool
	done   bool
}

// errFolder refuses a folder in the place of a file.
var errFolder = errors.New("it is a folder")

// unwritable is why no file can be made there, as far as that shows without making
// one; nil for standard output.
func unwritable(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return errFolder
	}
	_, err := os.Stat(filepath.Dir(path))
	return err
}

func create(path string, stream bool) (*file, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		// A device or a pipe (/dev/stderr, a named pipe) cannot be renamed onto.
		if info.IsDir() {
			return nil, errFolder
		}
		stream = true
	}
	if stream {
		f, err := os.Create(path)
		if err != nil {
			return nil, fmt.Errorf("creating %s: %w", path, err)
		}
		return &file{File: f, path: path, stream: true}, nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("creating %s: %w", path, err)
	}
	return &file{File: f, path: path}, nil
}

// commit ends the file and puts it in its place.
func (f *file) commit() error {
	f.done = true
	if f.stream {
		return f.Close()
	}
	// CreateTemp makes files that only their owner reads; a report is for others
	// too. The mode of a file that it replaces is kept.
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(f.path); err == nil {
		mode = info.Mode().Perm()
	}
	err := errors.Join(f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// abort gives the file up; after commit it does nothing. What a stream holds
// stays.
func (f *file) abort() {
	if f.done {
		return
	}
	f.done = true
	_ = f.Close()
	if !f.stream {
		_ = os.Remove(f.Name())
	}
}

// reason strips the operation and the temporary name off an error of the file
// system: the sentence around it names the file the user gave.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}
