// Package series is the memory of one process at several moments, as plain
// data: how many objects of each class there were, or samples of each
// allocation stack, and for a V8 heap the graph of the last moment. Readers and
// probes make it, judges read it.
//
// It is no file format and judges nothing. It imports the standard library
// only, so that judges stay apart from what reads snapshots.
package series

import "time"

// Language says what kind of heap was seen.
type Language string

// The heaps that can be read.
const (
	V8 Language = "v8" // Node and Chrome: every object, with its references
	Go Language = "go" // Go: a sample of the allocations, without references
)

// Series is one process over several snapshots, in the order of time.
type Series struct {
	Language Language
	// Local says that the process is of this machine, so that its clock is ours.
	Local  bool
	Target string // a file, a process or an address, without credentials
	Points []Point
	Rows   []Row
	// Graph is the heap of the last point; nil where references are not known.
	Graph *Graph
	// Base tells which objects of Graph are older than its second point; nil
	// where that cannot be told.
	Base *IDs
	// Comparable are, for each point after the first, the share of its
	// predecessor's objects that are found again under the same id, from 0 to 1.
	// V8 gives ids anew in every inspector session.
	Comparable []float64
	// Limit is the size in bytes at which the process dies: V8's heap limit,
	// GOMEMLIMIT or the limit of its container. 0 when not known.
	Limit     int64
	LimitName string
	// Period is the mean number of bytes between two samples of a Go profile
	// (runtime.MemProfileRate).
	Period int64
	// Retainers are reference paths of a Go heap, by grf or viewcore, heaviest
	// first.
	Retainers []Retainer
	// Sources are the files of the program that its stacks or functions name, where
	// they are on this machine: whether something bounds what grows is written there.
	Sources []Source
	// Settings are what the process was started with; nil where that is not known.
	Settings *Settings
	// Loads are the calls of each run of the load between two points, by the clock
	// of this machine, where the load recorded them.
	Loads [][]Span
	Notes []string // what a person should know of how it was taken
}

// Source is the text of a file under the name that the process gives it.
type Source struct{ File, Text string }

// Settings are the environment and the arguments that a process was started with.
// They hold secrets: judges may ask whether one is set, and tell none.
type Settings struct {
	Env  map[string]string
	Args []string
}

// Point is one snapshot.
type Point struct {
	Name string
	// At is when it was taken, since the first; 0 for all where it is not known.
	At time.Duration
	// Work is the number of requests since the first; 0 for all where nobody counts.
	Work int64
	// Loaded says that a command made load since the previous point.
	Loaded bool
	// Rounds is how many times the load ran, or the interval passed, since the
	// first; 0 for all where there is one between any two points.
	Rounds int64
	// Bytes and Objects are what is live after a collection. For a Go profile
	// without runtime.MemStats they are estimates, and Exact is false.
	Bytes   int64
	Objects int64
	Exact   bool
	// Allocated counts the objects allocated so far, 0 where it is not known.
	Allocated int64
	RSS       int64 // of the process, in bytes; 0 where it is not known
	Pauses    Pauses
}

// Unit is what the counts of a Row are.
type Unit string

// The units of a Row.
const (
	Objects    Unit = "objects"    // all of them
	Samples    Unit = "samples"    // of a Go heap profile: each stands for many
	Goroutines Unit = "goroutines" // all of them
)

// Row is one class or one allocation stack over all points.
type Row struct {
	Name   string
	Unit   Unit
	Kind   Kind    // of a V8 class
	Stack  []Frame // of a Go row, leaf first
	State  string  // of goroutines, such as "chan send"
	Leaked bool    // goroutines that the runtime found blocked for ever
	Cells  []Cell  // one for each point
}

// Cell is a row at one point.
type Cell struct {
	// Count is what the unit says; for samples the number that were taken, not
	// what they stand for.
	Count int64
	// Bytes is the size; for samples an estimate with the variance Var in bytes².
	Bytes float64
	Var   float64
	// Freed are the samples that have been freed since the start.
	Freed int64
	// Added is the estimate of the bytes allocated since the start, with its
	// variance.
	Added, AddedVar float64
}

// Frame is one call of a stack. Line counts from 1.
type Frame struct {
	Func string
	File string
	Line int
}

// Retainer is a path of references that keeps memory, from the variable down.
type Retainer struct {
	Path  []string
	Bytes int64
	Count int64
}
