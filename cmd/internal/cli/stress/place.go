package stress

import (
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
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
	return flags.NewHistory(o.History)
}
