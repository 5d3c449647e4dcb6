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
	NumForcedGC int64
	Pauses      []int64 // of the last 256 collections, in ns, by number modulo 256
	Ends        []int64 // when they were over, in ns of Unix time
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
			m.Pauses = numbers(value)
		case "PauseEnd":
			m.Ends = numbers(value)
		case "NumForcedGC":
			m.NumForcedGC = n
		case "GCCPUFraction":
			m.CPUShare, _ = strconv.ParseFloat(value, 64)
		}
	}
	return m
}

func numbers(text string) []int64 {
	var all []int64
	for _, f := range strings.Fields(strings.Trim(text, "[]")) {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return nil
		}
		all = append(all, n)
	}
	return all
}

// forced is how many collections a snapshot forces.
const forced = 2

// PausesSince are the stops between two states of one process, over that time,
// without those that the snapshot forced at its end. The runtime keeps the last
// 256 of them (runtime.MemStats.PauseNs).
func (m *MemStats) PausesSince(before *MemStats, took time.Duration) series.Pauses {
	mine := min(forced, max(m.NumForcedGC-before.NumForcedGC, 0))
	count, n := max(m.NumGC-before.NumGC-mine, 0), int64(len(m.Pauses))
	var all []series.Span
	for i := mine; i < min(count+mine, n); i++ {
		at := ((m.NumGC-1-i)%n + n) % n
		s := series.Span{Took: time.Duration(m.Pauses[at])}
		if at < int64(len(m.Ends)) {
			s.At = time.Unix(0, m.Ends[at]).Add(-s.Took)
		}
		all = append(all, s)
	}
	p := series.SumPauses("runtime.MemStats", all, took)
	p.Lost = count - p.Count
	p.Count = count
	if p.Lost > 0 && len(all) > 0 {
		p.Share *= float64(count) / float64(len(all))
	}
	return p
}
