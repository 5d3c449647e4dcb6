package app

import (
	"strings"
	"sync"
)

// Limits on the output that is kept, and on what of it is told.
const (
	keptBytes = 64 << 10
	toldLines = 15
)

// tail is the end of what was written. It is written by one goroutine and read
// by others.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - keptBytes; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

// text are the last lines.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.buf)), "\n")
	return strings.Join(lines[max(0, len(lines)-toldLines):], "\n")
}
