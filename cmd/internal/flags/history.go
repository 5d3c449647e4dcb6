package flags

import (
	"os"
	"path/filepath"

	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// NewHistory finds fault with the file of --history before anything is started: a
// file that is there, or a folder that is not. "" is the state folder.
func NewHistory(path string) error {
	if path == "" {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return exit.Usagef("--history %s is there already", path).WithHint("name a new file; what was recorded is never written over")
	}
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return exit.Usagef("--history %s: there is no folder %s", path, dir).WithHint("make the folder, or name a file in another one")
	}
	return nil
}
