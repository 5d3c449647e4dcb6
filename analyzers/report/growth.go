package report

import "time"

// GrowthVerdict is the word on one class of objects, one allocation stack or one
// group of goroutines.
type GrowthVerdict string

// The words. Leak: more in every snapshot of the last half, and nothing lets go.
// Growing: more, but too few snapshots or too unsteady to tell. Bounded: it grew
// and stopped. Noise: within chance, or the engine's own.
const (
	Leak    GrowthVerdict = "leak"
	Growing GrowthVerdict = "growing"
	Bounded GrowthVerdict = "bounded"
	Noise   GrowthVerdict = "noise"
)

// Growth is how much of one thing there was in each snapshot of a heap.
type Growth struct {
	Verdict    GrowthVerdict `json:"verdict"`
	Confidence string        `json:"confidence,omitempty"` // high, medium, low
	Name       string        `json:"name"`                 // a class, or the function that allocates
	Unit       string        `json:"unit"`                 // objects, samples, goroutines
	Counts     []int64       `json:"counts"`
	// Slope is the growth of the count from one snapshot to the next over the last
	// half, and Error its 95 % half-width.
	Slope float64 `json:"slope"`
	Error float64 `json:"error,omitempty"`
	// PerMinute and PerRequest are the same by time and by request; 0 when that
	// was not measured.
	PerMinute  float64 `json:"per_minute,omitempty"`
	PerRequest float64 `json:"per_request,omitempty"`
	// Bytes is what the growth keeps alive, with everything that hangs on it, and
	// BytesError its 95 % half-width where it is an estimate. Each is of one object.
	Bytes      int64 `json:"bytes"`
	BytesError int64 `json:"bytes_error,omitempty"`
	Each       int64 `json:"each,omitempty"`
	// Share is Bytes as part of the growth of the whole heap, from 0 to 1; of
	// goroutines only what lies on the heap, without the stacks.
	Share float64 `json:"share,omitempty"`

	Kind  string   `json:"kind,omitempty"`  // "unbounded map", "listener never removed" …
	Owner string   `json:"owner,omitempty"` // what accumulates it
	Paths [][]Held `json:"paths,omitempty"` // from the outside in, the shortest first
	With  []string `json:"with,omitempty"`  // classes that grow with it and hang on it
	// Allocated is where, innermost call first; empty when it was not recorded.
	Allocated []string `json:"allocated,omitempty"`
	Why       string   `json:"why,omitempty"`
}

// Held is one step of a path of references.
type Held struct {
	Name  string `json:"name"`            // of the reference: a variable, a property, "[entry]"
	Class string `json:"class,omitempty"` // of what it refers to
	Where string `json:"where,omitempty"` // file:line of a function
	Bytes int64  `json:"bytes,omitempty"` // what it keeps alive
	Owner bool   `json:"owner,omitempty"` // what grows is gathered here
}

// Heap is what a run over a heap came to.
type Heap struct {
	Language string      `json:"language"` // v8, go
	Points   []HeapPoint `json:"points"`
	Growths  []Growth    `json:"growths"` // the gravest first; noise is folded into Folded
	Folded   int         `json:"folded,omitempty"`
	// PerSnapshot and PerMinute are how the live bytes grow over the last half.
	PerSnapshot float64 `json:"bytes_per_snapshot,omitempty"`
	PerMinute   float64 `json:"bytes_per_minute,omitempty"`
	Limit       int64   `json:"limit,omitempty"`
	LimitName   string  `json:"limit_name,omitempty"`
	// Full is how long it takes to reach the limit, FullFrom and FullTo the range.
	Full     time.Duration `json:"full_ns,omitempty"`
	FullFrom time.Duration `json:"full_from_ns,omitempty"`
	FullTo   time.Duration `json:"full_to_ns,omitempty"`
	// Explained is the part of the growth that the leaks account for.
	Explained float64 `json:"explained,omitempty"`
	// Comparable is the least share of objects found again in the next snapshot;
	// 0 where that was not looked at.
	Comparable float64 `json:"comparable,omitempty"`
	// Collector is what garbage collection cost; nil where the process did not tell.
	Collector *Collector `json:"collector,omitempty"`
}

// HeapPoint is one snapshot.
type HeapPoint struct {
	Name     string        `json:"name"`
	At       time.Duration `json:"at_ns,omitempty"`
	Requests int64         `json:"requests,omitempty"`
	Bytes    int64         `json:"bytes"`
	Objects  int64         `json:"objects"`
	RSS      int64         `json:"rss,omitempty"`
	GCs      int64         `json:"gcs,omitempty"`
	PauseP50 time.Duration `json:"pause_p50_ns,omitempty"`
	PauseP99 time.Duration `json:"pause_p99_ns,omitempty"`
	PauseMax time.Duration `json:"pause_max_ns,omitempty"`
	Paused   float64       `json:"paused,omitempty"` // share of the time
	Scan     int64         `json:"scan,omitempty"`   // bytes that a collection has to look at
}
