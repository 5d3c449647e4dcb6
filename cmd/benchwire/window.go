//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// window is what pgbench did from one moment on. A run has a beginning that does
// not count: pgbouncer opens its sessions on the server only when the clients
// ask something, the other ways before pgbench's clock starts.
type window struct {
	from, to  time.Time
	latencies []float64 // µs
}

// read reads the logs of a run ("Per-Transaction Logging" in pgbench's manual).
func read(dir string, from time.Time) (*window, error) {
	w := &window{from: from, to: from}
	files, err := filepath.Glob(filepath.Join(dir, "l*"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			if err := w.add(line); err != nil {
				return nil, err
			}
		}
	}
	if len(w.latencies) == 0 {
		return nil, errors.New("pgbench wrote down no transaction behind the warm-up")
	}
	return w, nil
}

// add takes a line: client, number, latency in µs, script, and when it ended in
// seconds and microseconds.
func (w *window) add(line string) error {
	var client, number, script, sec, micro int64
	var latency float64
	if _, err := fmt.Sscan(line, &client, &number, &latency, &script, &sec, &micro); err != nil {
		return fmt.Errorf("pgbench's log has %q: %w", strings.TrimSpace(line), err)
	}
	at := time.Unix(sec, micro*1000)
	if at.Before(w.from) {
		return nil
	}
	w.latencies = append(w.latencies, latency)
	if at.After(w.to) {
		w.to = at
	}
	return nil
}

// tps is the number of transactions a second.
func (w *window) tps() float64 { return float64(len(w.latencies)) / w.to.Sub(w.from).Seconds() }
