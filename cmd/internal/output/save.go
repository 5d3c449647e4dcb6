package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Save writes the run in the format to a new file in dir and returns its path.
// The file is named after the run; one that is there already is never touched.
func (r *Recording) Save(dir string, f Format) (string, error) {
	file, err := unused(filepath.Join(dir, "ccheck-"+r.Run.ID), f.Ext)
	if err != nil {
		return "", err
	}
	err = errors.Join(r.Replay(f.New(file, Options{Progress: io.Discard, Width: FileWidth, Verbose: true})), file.Close())
	if err != nil {
		_ = os.Remove(file.Name())
		return "", fmt.Errorf("writing %s: %w", file.Name(), reason(err))
	}
	return file.Name(), nil
}

// unused creates stem.ext, stem-2.ext and so on: the first that is not there.
func unused(stem, ext string) (*os.File, error) {
	path := stem + "." + ext
	for i := 2; ; i++ {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("creating %s: %w", path, reason(err))
		}
		path = fmt.Sprintf("%s-%d.%s", stem, i, ext)
	}
}
