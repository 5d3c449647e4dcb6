package stress

import (
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
