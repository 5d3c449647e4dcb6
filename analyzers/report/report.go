// Package report is what a judge says and what a sink shows: findings,
// verdicts, the state of a run. Plain data: positions are resolved, nothing
// points back into a parser, a connection or a syntax tree.
//
// It imports the standard library only. Judges make these values, sinks (text,
// json, the terminal UI …) show them, and neither knows the other.
package report

import "time"

// Severity orders findings; --fail-on compares with it.
type Severity string

// The severities, lowest first. High: money, data or availability is lost and
// the story was seen. Medium: it can happen, or a caller sees an error that
// should have been handled. Low: worth knowing.
const (
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// Rank is the severity's place in the order, 0 for an unknown word.
func (s Severity) Rank() int {
	switch s {
	case Low:
		return 1
	case Medium:
		return 2
	case High:
		return 3
	}
	return 0
}

// Finding is one thing that is wrong, told so that a colleague understands it
// without the tool.
type Finding struct {
	Rule     string   `json:"rule"` // name of the judge: "lostupdate", "retry" …
	Severity Severity `json:"severity"`
	// Message says what is wrong and what follows from it, in one sentence.
	Message string `json:"message"`
	// Claim is the invariant that was broken, when one was.
	Claim string `json:"claim,omitempty"`
	// Also are claims that the same race breaks, each with a finding of its own;
	// there SameAs is the fingerprint of the one that tells the story, and lanes,
	// steps and the fixes that stand there are left out.
	Also   []string `json:"also,omitempty"`
	SameAs string   `json:"same_as,omitempty"`
	// Anomaly is the field's word for it: "lost update (P4)", "write skew (G2-item)" …
	Anomaly string   `json:"anomaly,omitempty"`
	Where   Location `json:"where,omitzero"`

	// Count is how often it was seen; First and Last are when, since the start.
	Count int           `json:"count,omitempty"`
	First time.Duration `json:"first_ns,omitempty"`
	Last  time.Duration `json:"last_ns,omitempty"`

	// Rows are the evidence: what the invariant returned, or the keys whose
	// books do not balance. At most some tens; More counts the rest.
	Columns []string   `json:"columns,omitempty"`
	Rows    [][]string `json:"rows,omitempty"`
	More    int        `json:"more,omitempty"`

	// Books says what the accepted calls do not account for, where a ledger is kept.
	Books *Books `json:"books,omitempty"`

	// The story: lanes, and what each did, in the order in which it happened.
	Lanes    []Lane `json:"lanes,omitempty"`
	Steps    []Step `json:"steps,omitempty"`
	Before   string `json:"before,omitempty"`   // "account 3: balance 100"
	After    string `json:"after,omitempty"`    // "account 3: balance 70"
	Expected string `json:"expected,omitempty"` // "account 3: balance 50"
	Why      string `json:"why,omitempty"`

	// Fixes in the order in which they should be tried: atomic statement,
	// constraint, optimistic version, pessimistic lock. One that would be wrong
	// at the isolation level of the run is not in the list.
	Fixes []Fix `json:"fixes,omitempty"`
	Repro Repro `json:"repro,omitzero"`

	// Fingerprint is the same for the same bug in another run: rule, claim,
	// actors and statements, no value and no time. For baselines.
	Fingerprint string `json:"fingerprint,omitempty"`
	Help        string `json:"help,omitempty"` // page that explains the rule

	// Growth is the evidence of a leak of memory.
	Growth *Growth `json:"growth,omitempty"`
	// Ring is a circle of lanes, each of which waits for the next one and the last
	// one for the first.
	Ring []Link `json:"ring,omitempty"`
}

// Link is one lane in a circle.
type Link struct {
	Lane int    `json:"lane"`         // index into Finding.Lanes
	For  string `json:"for"`          // what it waits for: "account id=2"
	Held string `json:"by,omitempty"` // the words with which the next one holds it: "UPDATE account"
	Step int    `json:"step"`         // index into Finding.Steps: what it was doing; -1 where that is not told
}

// Books are the two sides of a ledger that does not balance: what is there
// though nothing accepted put it there, and what is missing. Sums over all
// keys, as decimal numbers; they do not cancel each other.
type Books struct {
	Created string `json:"created"`
	Lost    string `json:"lost"`
}

// Location is a place in a file. Lines and columns count from 1, columns in
// bytes; 0 means unknown.
type Location struct {
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
}

// Lane is one participant of a story.
type Lane struct {
	Name   string `json:"name"`             // "T1"
	Detail string `json:"detail,omitempty"` // "client 3, transfer, try 1"
}

// Step is one thing that one lane did.
type Step struct {
	Lane  int    `json:"lane"` // index into Finding.Lanes
	Text  string `json:"text"` // the statement with its values in place
	Read  string `json:"read,omitempty"`
	Wrote string `json:"wrote,omitempty"`
	// Result is the end of a transaction or an error: "COMMIT ok",
	// "ERROR 40001 could not serialize access due to concurrent update".
	Result string `json:"result,omitempty"`
	// Wait tells what it waited for: "waits for T1, 34 ms".
	Wait  string        `json:"wait,omitempty"`
	Start time.Duration `json:"start_ns"`
	End   time.Duration `json:"end_ns"`
	Where Location      `json:"where,omitzero"`
	// Deps are the dependencies that end here, for the arrows between lanes.
	Deps []Dep `json:"deps,omitempty"`
}

// Dep is a dependency between two steps of different lanes, in the words of
// Adya's thesis: "wr" (reads from), "ww" (overwrites), "rw" (was read before
// it was overwritten: the antidependency).
type Dep struct {
	From int    `json:"from"` // index into Finding.Steps
	Kind string `json:"kind"`
}

// FixKind orders fixes.
type FixKind string

// The kinds of fix, in the order of preference, then those that go beside them.
const (
	Atomic      FixKind = "atomic statement"
	Constraint  FixKind = "constraint"
	Optimistic  FixKind = "optimistic version"
	Pessimistic FixKind = "pessimistic lock"
	Isolation   FixKind = "isolation level and retry"
	Retry       FixKind = "retry"
	Order       FixKind = "lock order"

	// Against reading the past.
	Route FixKind = "choice of server"
	Await FixKind = "wait for the log"

	// Against leaks of memory.
	Bound   FixKind = "bound it"
	Release FixKind = "let go"
)

// Fix is one way to mend a finding.
type Fix struct {
	Kind  FixKind `json:"kind"`
	Title string  `json:"title"`
	SQL   string  `json:"sql,omitempty"` // statements for these tables
	Edits []Edit  `json:"edits,omitempty"`
	// Note says what else is needed ("look at the row count", "retry 40001") and
	// at which levels it is right.
	Note string `json:"note,omitempty"`
	// Verified tells what a re-run with the fix showed; empty when none was made.
	Verified string `json:"verified,omitempty"`
}

// Edit replaces a range of a file.
type Edit struct {
	Location
	NewText string `json:"new_text"`
	// Digest is the SHA-256 of the whole file as it was judged, in hex: in a file
	// that changed since, the range means something else. Empty where it is not known.
	Digest string `json:"digest,omitempty"`
}

// Repro is how to see it again.
type Repro struct {
	Command string   `json:"command,omitempty"`
	Seed    uint64   `json:"seed,omitempty"`
	Psql    []string `json:"psql,omitempty"` // one script per psql session, with the order in comments
}

// Verdict is the answer of a run.
type Verdict string

// The verdicts. Unknown is never clean: too little contention, a time-out, a
// judge that crashed, a history that ends in the middle.
const (
	Clean   Verdict = "clean"
	Faulty  Verdict = "faulty"
	Unknown Verdict = "unknown"
)

// Worse returns the verdict that outranks the other: faulty, unknown, clean.
func Worse(a, b Verdict) Verdict {
	rank := map[Verdict]int{Clean: 0, Unknown: 1, Faulty: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// Evidence says how hard the run tried. A run without enough of it has the
// verdict unknown, whatever it found not.
type Evidence struct {
	Calls        int64         `json:"calls"`
	Transactions int64         `json:"transactions"`
	Statements   int64         `json:"statements"`
	Tries        int64         `json:"tries"` // attempts, retries counted
	Overlaps     int64         `json:"overlaps"`
	LockWaits    int64         `json:"lock_waits"`
	Conflicts    int64         `json:"conflicts"` // 40001, 40P01, 23505, 23P01 … answered by the server
	SmallestGap  time.Duration `json:"smallest_gap_ns,omitempty"`
	Checks       int64         `json:"checks"` // snapshots in which the invariants were looked at
	// Enough is the judge's word on whether contention is proven; Missing says
	// what was not reached.
	Enough  bool   `json:"enough"`
	Missing string `json:"missing,omitempty"`
}

// Run is what is known when a run begins.
type Run struct {
	ID        string        `json:"id"`
	Tool      string        `json:"tool"` // "ccheck v0.1.0"
	Probe     string        `json:"probe"`
	Scenario  string        `json:"scenario"`
	Title     string        `json:"title,omitempty"`
	Target    string        `json:"target"` // host:port/database, no credential
	Server    string        `json:"server"` // "PostgreSQL 15.18"
	Isolation string        `json:"isolation,omitempty"`
	Seed      uint64        `json:"seed"`
	Clients   int           `json:"clients,omitempty"`
	Duration  time.Duration `json:"duration_ns,omitempty"`
	Limit     int64         `json:"transactions,omitempty"` // calls per lane, when limited by count
	Started   time.Time     `json:"started"`
	Claims    []string      `json:"claims,omitempty"`
}

// Progress is the state of a run so far: every value is cumulative, so any one
// of them may be dropped.
type Progress struct {
	Phase   string        `json:"phase"` // warming up, running, draining, checking, judging, done
	Elapsed time.Duration `json:"elapsed_ns"`
	Total   time.Duration `json:"total_ns,omitempty"`

	Accepted int64   `json:"accepted"`
	Refused  int64   `json:"refused"`
	Failed   int64   `json:"failed"`
	Unknown  int64   `json:"unknown"`
	Commits  int64   `json:"commits"`
	Retries  int64   `json:"retries"`
	Rate     float64 `json:"rate"` // calls ended per second, over the last second
	Errors   []Count `json:"errors,omitempty"`

	P50 time.Duration `json:"p50_ns"`
	P99 time.Duration `json:"p99_ns"`
	Max time.Duration `json:"max_ns"`

	// Throughput has calls per second, one value per slot of Slot length since
	// the start; Heat has for each slot the number of calls in each band of
	// Bands (upper bounds, the last one open); Marks what happened in the slot.
	Slot       time.Duration   `json:"slot_ns,omitempty"`
	Throughput []float64       `json:"throughput,omitempty"`
	Bands      []time.Duration `json:"bands_ns,omitempty"`
	Heat       [][]int64       `json:"heat,omitempty"`
	Marks      []Mark          `json:"marks,omitempty"`

	Claims     []ClaimState `json:"claims,omitempty"`
	Violations []Violation  `json:"violations,omitempty"` // oldest first
	Evidence   Evidence     `json:"evidence"`
	Recorded   int64        `json:"recorded_bytes"`

	Lag *Lag `json:"lag,omitempty"` // of a run over replicas, as far as it is known
}

// Count is a number of something, such as an SQLSTATE.
type Count struct {
	Key string `json:"key"`
	N   int64  `json:"n"`
}

// Mark is something worth showing on the time axis.
type Mark struct {
	Slot int    `json:"slot"`
	Kind string `json:"kind"` // "violation", "lock wait"
}

// ClaimState is a claim while the run goes on.
type ClaimState struct {
	Name     string        `json:"name"`
	State    string        `json:"state"` // ok, bad, waiting, error; unproven: never seen broken, in a run that proves nothing
	Checks   int           `json:"checks"`
	Bad      int           `json:"bad"` // checks that returned rows
	FirstBad time.Duration `json:"first_bad_ns,omitempty"`
	Note     string        `json:"note,omitempty"` // how it is looked at, or why it waits
}

// Violation is a claim seen broken in one check, while the run goes on.
type Violation struct {
	ID    int           `json:"id"` // from 1
	At    time.Duration `json:"at_ns"`
	Claim string        `json:"claim"`
	Text  string        `json:"text"` // the first row, as words
	// Finding is the index of the finding that tells its story, -1 while there is none.
	Finding int `json:"finding"`
}

// Table is a result in rows, such as that of --compare.
type Table struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	// Bad marks rows that show a fault; it has the length of Rows or is empty.
	Bad   []bool   `json:"bad,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// Summary ends a run.
type Summary struct {
	Verdict  Verdict  `json:"verdict"`
	Reasons  []string `json:"reasons,omitempty"` // why unknown, or what was cut short
	Final    Progress `json:"final"`
	Evidence Evidence `json:"evidence"`
	Tables   []Table  `json:"tables,omitempty"`
	History  string   `json:"history,omitempty"` // path of the recorded history
	Notes    []string `json:"notes,omitempty"`   // what a person should know: what was kept, what was left
	Line     string   `json:"line"`              // the last line, for grep
	Heap     *Heap    `json:"heap,omitempty"`    // of a run over a heap
	// Timeline is who held what, of a run with leases or with a job queue, or how
	// often a call was tried, of one in which calls are retried.
	Timeline *Timeline `json:"timeline,omitempty"`
	Lag      *Lag      `json:"lag,omitempty"` // of a run over replicas
}

// Sink shows a run. Begin comes first and End last, once each. Progress may be
// dropped by whoever sends it or by the sink; Add must not be. A Sink is used
// by one goroutine at a time.
type Sink interface {
	Begin(Run) error
	Progress(Progress)
	Add(Finding) error
	End(Summary) error
}
