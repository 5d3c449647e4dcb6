package postgres

import (
	"fmt"
	"io"
	"strings"
)

// tailLines is how much of a log an error shows.
const tailLines = 8

// explain makes the error of a step that PostgreSQL's programs did not manage:
// what was done, why it went wrong in their own last words, and the mend where
// one is known.
func (h *home) explain(doing string, err error, said string) error {
	if strings.Contains(said, "No space left on device") {
		return fmt.Errorf("%s: no space left in %s for a throw-away PostgreSQL (it takes 60 MB and grows with the load): free some, or point TMPDIR at a directory with more: %w", doing, h.dir, err)
	}
	err = h.account.explain(err, h.dir, h.program("initdb"), h.program("postgres"))
	if said = tail(said, tailLines); said == "" {
		return fmt.Errorf("%s with PostgreSQL %s of %s: %w", doing, h.install.Version, h.install.Bin, err)
	}
	return fmt.Errorf("%s with PostgreSQL %s of %s: %w; its last words:\n%s", doing, h.install.Version, h.install.Bin, err, said)
}

// tail returns the last n lines that are not empty, indented.
func tail(text string, n int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, "  "+line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func (h *home) logSize() int64 {
	info, err := h.log.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// logLimit bounds what is read of a log to explain an error.
const logLimit = 1 << 20

// logSince returns what was written to the log after a position.
func (h *home) logSince(from int64) string {
	text, err := io.ReadAll(io.NewSectionReader(h.log, from, logLimit))
	if err != nil {
		return ""
	}
	return string(text)
}
