// Package input opens the files that a user names. It refuses at once what is no
// file, and reads nothing into what it opens. All of cmd may import it.
package input

import (
	"io"
	"os"

	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// Open opens a file for reading. What is neither a file nor a folder is an
// exit.Error of usage: open(2) of a pipe waits for a writer, where no signal
// reaches it, and a device may have no end. Any other error is of os.Open.
func Open(path string) (*os.File, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Check is the refusal of Open, for files that another package opens. What
// cannot be looked at is left to whoever opens it.
func Check(paths ...string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return exit.Usagef("%s is no regular file", path).WithHint("write what it holds to a file, and name that")
		}
	}
	return nil
}

// Read is what a file holds, with the errors of Open.
func Read(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
