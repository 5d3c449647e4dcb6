package report

import "time"

// Timeline is who held something, or did something again, over time: the most
// telling part of a run.
type Timeline struct {
	Title string        `json:"title"`
	From  time.Duration `json:"from_ns"` // since the start of the run
	To    time.Duration `json:"to_ns"`
	Rows  []TimeRow     `json:"rows"`
}

// TimeRow is one owner, or what happened to one thing.
type TimeRow struct {
	Name  string     `json:"name"`
	Spans []TimeSpan `json:"spans,omitempty"` // in their order; a later one covers an earlier one
	Marks []TimeMark `json:"marks,omitempty"` // in their order
	Note  string     `json:"note,omitempty"`
}

// SpanKind is what an owner is in a span.
type SpanKind string

// The kinds. Holds: by its own clock the lease has not ended. Paused: it is
// stopped. Believes: it acts as the owner, and the lease has ended. Waits: it
// asks and is refused. Commits and Undone: it is in a transaction that goes
// through, or is rolled back.
const (
	Holds    SpanKind = "holds"
	Paused   SpanKind = "paused"
	Believes SpanKind = "believes"
	Waits    SpanKind = "waits"
	Commits  SpanKind = "commits"
	Undone   SpanKind = "undone"
)

// TimeSpan is a stretch of a row.
type TimeSpan struct {
	Kind SpanKind      `json:"kind"`
	From time.Duration `json:"from_ns"`
	To   time.Duration `json:"to_ns"`
}

// TimeMark is a moment of a row.
type TimeMark struct {
	At   time.Duration `json:"at_ns"`
	Text string        `json:"text"`
	Bad  bool          `json:"bad,omitempty"`
}
