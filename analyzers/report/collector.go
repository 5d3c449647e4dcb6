package report

import "time"

// Collector is what garbage collection cost a process while it was watched.
type Collector struct {
	Source string `json:"source"` // what the process exports: "runtime.MemStats", "perf_hooks" …
	Count  int64  `json:"count"`
	// P50, P99 and Max are of the pauses, Share the part of the time spent in them,
	// and CPU the collector's part of the CPU time, both from 0 to 1, 0 when not known.
	P50   time.Duration `json:"p50_ns"`
	P99   time.Duration `json:"p99_ns"`
	Max   time.Duration `json:"max_ns"`
	Share float64       `json:"share"`
	CPU   float64       `json:"cpu,omitempty"`
	// First and Last are how many bytes a collection has to look at, or what it took
	// in ns, at the first and at the last snapshot where that was seen; of What.
	What    string  `json:"what,omitempty"`
	First   float64 `json:"first,omitempty"`
	Last    float64 `json:"last,omitempty"`
	Limited bool    `json:"limited,omitempty"` // Go's limiter of the collector's CPU time was at work
	// Missing says what the process does not export, and what could not be told
	// without it.
	Missing []string `json:"missing,omitempty"`
	Stalls  *Stalls  `json:"stalls,omitempty"`
}

// Stalls is how the slowest calls of the load lie to the pauses of the process.
type Stalls struct {
	Calls int           `json:"calls"`
	Slow  int           `json:"slow"`     // the slowest hundredth
	Limit time.Duration `json:"limit_ns"` // the least duration of those
	Share float64       `json:"share"`    // of the slow ones that met a pause: began in it or just before
	// Chance is the share of all calls that met one.
	Chance float64 `json:"chance"`
	// More says that the share is beyond chance by three standard deviations.
	More bool `json:"more,omitempty"`
	// With and Without are the 99th percentile of the calls that met a pause, and
	// of the others.
	With    time.Duration `json:"with_ns"`
	Without time.Duration `json:"without_ns"`
}
