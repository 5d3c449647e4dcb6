//go:build unix

package input_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/input"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file, pipe, link := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("text"), 0o600), syscall.Mkfifo(pipe, 0o600), os.Symlink(pipe, link)); err != nil {
		t.Fatal(err)
	}
	if text, err := input.Read(file); err != nil || string(text) != "text" {
		t.Errorf("a file: %q, %v", text, err)
	}
	if _, err := input.Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := input.Read(dir); err == nil || errors.As(err, new(*exit.Error)) {
		t.Errorf("a folder is the caller's to explain: %v", err)
	}
	for _, path := range []string{pipe, link, os.DevNull} {
		_, err := input.Read(path)
		if exit.Code(err) != exit.Usage || err.Error() != path+" is no regular file" {
			t.Errorf("%s: code %d, %v", path, exit.Code(err), err)
		}
	}
}
