package report

import "time"

// Lag is how far replicas were behind, and what their readers got.
type Lag struct {
	Replicas []LagSeries `json:"replicas"`
	// Readers are the ways to read that were tried, the one that is judged first.
	Readers []LagReader `json:"readers,omitempty"`
	// Cut are the same while a replica was cut off from its primary.
	Cut       []LagReader   `json:"cut,omitempty"`
	CutName   string        `json:"cut_name,omitempty"`
	CutFor    time.Duration `json:"cut_for_ns,omitempty"`
	CaughtUp  time.Duration `json:"caught_up_ns,omitempty"` // after the end of the cut; 0 when it was not seen
	CutOldest time.Duration `json:"cut_oldest_ns,omitempty"`
}

// LagSeries is how far one replica was behind.
type LagSeries struct {
	Name string `json:"name"`
	// Values are the visible lag, from the end of COMMIT to the first answer that
	// shows it: the greatest of each of at most 120 equal parts of the run.
	Values []time.Duration `json:"values_ns"`
	P50    time.Duration   `json:"p50_ns"`
	P99    time.Duration   `json:"p99_ns"`
	Max    time.Duration   `json:"max_ns"`
	Bytes  int64           `json:"bytes"` // of log, the most that was missing when it was first asked
	Writes int             `json:"writes"`
	Late   int             `json:"late"`            // writes that at least one look did not show
	Never  int             `json:"never,omitempty"` // writes that were not seen until the end
}

// LagReader is a way to read, and what came of it.
type LagReader struct {
	Name    string        `json:"name"`
	Reads   int           `json:"reads"`
	Behind  int           `json:"behind"` // made while the replica was seen to lack what the session knew
	Stale   int           `json:"stale"`
	Refused int           `json:"refused"`
	Primary int           `json:"primary"` // that the primary answered instead
	P50     time.Duration `json:"waited_p50_ns"`
	P99     time.Duration `json:"waited_p99_ns"`
}
