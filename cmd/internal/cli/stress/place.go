package stress

import (
	"os"
	"path/filepath"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/state"
)

// historyPath is a new file in ccheck's state folder.
func historyPath(env func(string) string, id string) (string, error) {
	path, err := state.New(env, id)
	if err != nil {
		return "", exit.Failedf("%w", err).WithHint("name a file with --history, or set XDG_STATE_HOME")
	}
	return path, nil
}

// checkHistory finds out before anything is started whether the file that was
// named can be a new history.
func (o *Options) checkHistory() error {
	if o.History == "" {
		return nil
	}
	if o.Compare || len(o.Isolation.Levels) > 1 {
		return exit.Usagef("--history %s is one file, and there are many runs", o.History).WithHint("leave it out, or make one run at a time")
	}
	if _, err := os.Lstat(o.History); err == nil {
		return exit.Usagef("--history %s is there already", o.History).WithHint("name a new file; what was recorded is never written over")
	}
	dir := filepath.Dir(o.History)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return exit.Usagef("--history %s: there is no folder %s", o.History, dir).WithHint("make the folder, or name a file in another one")
	}
	return nil
}
