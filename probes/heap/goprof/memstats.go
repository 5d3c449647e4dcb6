package goprof

import (
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// MemStats is what the text of a heap profile says of runtime.MemStats. These
// numbers are counted and not sampled.
type MemStats struct {
	HeapAlloc   int64
	HeapObjects int64
	Mallocs     int64
	Sys         int64
	MaxRSS      int64
	NumGC       int64
	PauseTotal  time.Duration
	Pauses      []time.Duration // of the last 256 collections, by number modulo 256
	CPUShare    float64
}

func parseMemStats(lines []string) *MemStats {
	m := &MemStats{}
	for _, line := range lines {
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "# "), " = ")
		if !ok {
			continue
		}
		n, _ := strconv.ParseInt(value, 10, 64)
		switch name {
		case "HeapAlloc":
			m.HeapAlloc = n
		case "HeapObjects":
			m.HeapObjects = n
		case "Mallocs":
			m.Mallocs = n
		case "Sys":
			m.Sys = n
		case "MaxRSS":
			m.MaxRSS = n
		case "NumGC":
			m.NumGC = n
		case "PauseNs":
			m.Pauses = durations(value)
		case "GCCPUFraction":
			m.CPUShare, _ = strconv.ParseFloat(value, 64)
		}
	}
	return m
}

func durations(text string) []time.Duration {
	var all []time.Duration
	for _, f := range strings.Fields(strings.Trim(text, "[]")) {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return nil
		}
		all = append(all, time.Duration(n))
	}
	return all
}

// PausesSince are the stops between two states of one process, over that time.
// The runtime keeps the last 256 of them.
func (m *MemStats) PausesSince(before *MemStats, took time.Duration) series.Pauses {
	count, n := m.NumGC-before.NumGC, int64(len(m.Pauses))
	var all []time.Duration
	for i := range min(max(count, 0), n) {
		all = append(all, m.Pauses[((m.NumGC-1-i)%n+n)%n])
	}
	p := series.SumPauses(all, took)
	p.Count = count
	return p
}
