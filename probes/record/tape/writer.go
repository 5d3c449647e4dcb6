package tape

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// Writer writes one tape. It may be used by several goroutines.
type Writer struct {
	mu      sync.Mutex
	file    *os.File
	size    int64
	limit   int64
	err     error
	dropped int
}

// reserve is what the last line needs.
const reserve = 512

// Create makes the file, or empties it, and writes the header. limit bounds its
// bytes; what comes then is left out and counted.
func Create(path string, h Header, limit int64) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the tape: %w", err)
	}
	h.Schema = Schema
	w := &Writer{file: f, limit: max(limit, 2*reserve)}
	w.write(h, 0)
	return w, w.err
}

// Request writes a request, and Statement a statement, as a whole line or not
// at all. An error is kept for Close.
func (w *Writer) Request(r *Request) bool { return w.put(r) }

// Statement writes a statement.
func (w *Writer) Statement(s *Statement) bool { return w.put(s) }

func (w *Writer) put(v any) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.write(v, reserve) {
		return true
	}
	w.dropped++
	return false
}

func (w *Writer) write(v any, keep int64) bool {
	line, err := json.Marshal(v)
	if err != nil {
		w.err = fmt.Errorf("encoding a line of the tape: %w", err)
	}
	if w.err != nil || w.size+int64(len(line))+1 > w.limit-keep {
		return false
	}
	n, err := w.file.Write(append(line, '\n'))
	if err != nil {
		_ = w.file.Truncate(w.size) // the line that was cut
		w.err = fmt.Errorf("writing the tape: %w", err)
		return false
	}
	w.size += int64(n)
	return true
}

// Close writes the last line, and returns the first error that a write met.
func (w *Writer) Close(end End) (End, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	end.Dropped = w.dropped
	w.write(end, 0)
	if err := w.file.Close(); w.err == nil && err != nil {
		w.err = fmt.Errorf("closing the tape: %w", err)
	}
	return end, w.err
}
