package elapsed

import (
	"os"
	"strconv"
	"strings"
	"time"
)

func mark(path string) error {
	return os.WriteFile(path, []byte(strconv.FormatInt(time.Now().Unix(), 10)), 0o600)
}

// A start that was kept in a file; and near misses, a distance that is never negative,
// and the age of something that is compared with a limit.

func elapsedSeconds(path string) (int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	start, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, err
	}
	return time.Now().Unix() - start, nil // want `elapsed time measured with the wall clock`
}

func elapsedAtLeast(text string) int64 {
	start, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return max(0, time.Now().Unix()-start)
}

func tooOld(text string) bool {
	start, err := strconv.ParseInt(text, 10, 64)
	return err == nil && time.Now().Unix()-start > 3600
}
