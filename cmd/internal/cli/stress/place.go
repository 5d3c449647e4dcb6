package stress

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// keptHistories is how many histories the state folder keeps.
const keptHistories = 30

// historyPath is a new file in the state folder of the XDG Base Directory
// Specification, or in the folder for temporary files where there is no home.
// The oldest histories there give way.
func historyPath(env func(string) string, id string) (string, error) {
	dir := env("XDG_STATE_HOME")
	if home := env("HOME"); dir == "" && home != "" {
		dir = filepath.Join(home, ".local", "state")
	}
	if dir == "" {
		dir = os.TempDir()
	}
	dir = filepath.Join(dir, "ccheck", "histories")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", exit.Failedf("cannot make the folder for histories: %w", err).WithHint("name a file with --history, or set XDG_STATE_HOME")
	}
	prune(dir)
	return filepath.Join(dir, id+".jsonl"), nil
}

// prune removes the oldest histories beyond the number that is kept. A failure
// costs space and nothing else.
func prune(dir string) {
	entries, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(entries) < keptHistories {
		return
	}
	age := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(entries, func(a, b string) int { return cmp.Compare(age(a), age(b)) })
	for _, path := range entries[:len(entries)-keptHistories+1] {
		_ = os.Remove(path)
	}
}
