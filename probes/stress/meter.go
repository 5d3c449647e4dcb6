package stress

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Snapshot is the state of a run at one moment. Everything in it is counted
// since the start gate opened.
type Snapshot struct {
	Phase   string // running, draining, checking, done
	Elapsed time.Duration

	Outcomes map[string]Outcomes // by actor
	Total    Outcomes
	Retries  int64
	Errors   map[string]int64 // by SQLSTATE, the retried ones counted too
	Rate     float64          // calls per second, over the last second
	P50      time.Duration
	P99      time.Duration
	Max      time.Duration

	Slot       time.Duration // length of one slot of the series
	Throughput []float64     // calls per second
	Heat       [][]int64     // per slot, calls in each of Bands
	Marks      []Mark

	Claims     []ClaimState
	Violations []Violation // the first of each claim and some more, oldest first
	Checks     int64
	Waits      int64 // lanes seen waiting for a lock, by sampling
	Recorded   int64 // bytes of history
	Rounds     int64
	// Whole says of a replayed history that it ends as a run does that came to
	// its end: every call has an end, and the checker had the last word.
	Whole bool
}

// Outcomes counts calls.
type Outcomes struct{ Accepted, Refused, Failed, Unknown int64 }

// Calls is the number of calls that have ended.
func (o Outcomes) Calls() int64 { return o.Accepted + o.Refused + o.Failed + o.Unknown }

// Add counts a call that has ended.
func (o *Outcomes) Add(how history.Outcome) {
	*[]*int64{&o.Accepted, &o.Refused, &o.Failed, &o.Unknown}[outcomeIndex[how]]++
}

// Mark is something worth a sign on the time axis.
type Mark struct {
	Slot int
	Kind string // "violation", "lock wait"
}

// ClaimState is a claim while the run goes on.
type ClaimState struct {
	Name     string
	State    string // ok, bad, waiting, error
	Checks   int
	Bad      int
	FirstBad time.Duration
	Note     string
}

// Violation is a row that an invariant returned.
type Violation struct {
	At    time.Duration
	Claim string
	Text  string
}

// Bands are the upper bounds of the latency bands of Heat; the last is open.
var Bands = []time.Duration{500 * time.Microsecond, time.Millisecond, 4 * time.Millisecond, 16 * time.Millisecond, 64 * time.Millisecond, 1<<63 - 1}

const (
	maxSlots = 120
	bands    = 6
)

// meter counts. Lanes touch atomics only; the ticker makes series of them.
type meter struct {
	others   []scenario.Count // of other shards, once their lanes have ended
	actors   []string
	outcomes [][4]atomic.Int64 // by actor
	base     []Outcomes        // those of earlier rounds
	retries  atomic.Int64
	waits    atomic.Int64
	rounds   atomic.Int64
	latency  histogram
	bands    [bands]atomic.Int64

	errMu  sync.Mutex
	errors map[string]int64

	mu       sync.Mutex // of what the ticker makes
	begun    time.Time
	slot     time.Duration
	heat     [][]int64
	lastBand [bands]int64
	marks    []Mark
	recent   []point // of the last second
}

type point struct {
	at    time.Time
	calls int64
}

func newMeter(sc *scenario.Scenario, d time.Duration) *meter {
	m := &meter{errors: map[string]int64{}, slot: 250 * time.Millisecond}
	for m.slot*maxSlots < d {
		m.slot *= 2
	}
	for _, a := range sc.Actors {
		m.actors = append(m.actors, a.Name)
	}
	m.outcomes = make([][4]atomic.Int64, len(m.actors))
	m.base = make([]Outcomes, len(m.actors))
	return m
}

func (m *meter) begin(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begun = now
}

var outcomeIndex = map[history.Outcome]int{history.Accepted: 0, history.Refused: 1, history.Failed: 2, history.Unknown: 3}

// ended counts a call. Its latency is from when it was due, so that a lane
// that was late because of the call before does not hide it (coordinated
// omission).
func (m *meter) ended(actor int, o history.Outcome, tries int, latency time.Duration) {
	m.outcomes[actor][outcomeIndex[o]].Add(1)
	if tries > 1 {
		m.retries.Add(int64(tries - 1))
	}
	m.latency.add(latency)
	for i, b := range Bands {
		if latency <= b {
			m.bands[i].Add(1)
			return
		}
	}
}

func (m *meter) failed(sqlstate string) {
	m.errMu.Lock()
	defer m.errMu.Unlock()
	m.errors[sqlstate]++
}

// tick moves what was counted since the last tick into the series.
func (m *meter) tick(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.slotAt(now.Sub(m.begun))
	var calls int64
	for b := range m.bands {
		n := m.bands[b].Load()
		m.heat[i][b] += n - m.lastBand[b]
		m.lastBand[b] = n
		calls += n
	}
	m.recent = append(m.recent, point{now, calls})
	for len(m.recent) > 2 && now.Sub(m.recent[1].at) >= time.Second {
		m.recent = m.recent[1:]
	}
}

// slotAt makes sure that the slot of that time is there, halving the
// resolution when the series would grow too long.
func (m *meter) slotAt(at time.Duration) int {
	for int(at/m.slot) >= maxSlots {
		m.slot *= 2
		half := m.heat[:0]
		for i := 0; i < len(m.heat); i += 2 {
			sum := m.heat[i]
			if i+1 < len(m.heat) {
				for b, n := range m.heat[i+1] {
					sum[b] += n
				}
			}
			half = append(half, sum)
		}
		m.heat = half
		for i := range m.marks {
			m.marks[i].Slot /= 2
		}
		m.marks = slices.Compact(m.marks)
	}
	i := max(0, int(at/m.slot))
	for len(m.heat) <= i {
		m.heat = append(m.heat, make([]int64, bands))
	}
	return i
}

func (m *meter) mark(kind string) { m.markAt(kind, time.Since(m.begun)) }

func (m *meter) markAt(kind string, at time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := Mark{m.slotAt(at), kind}
	if !slices.Contains(m.marks, k) {
		m.marks = append(m.marks, k)
	}
}

// outcomesOf returns the counts of an actor.
func (m *meter) outcomesOf(i int) Outcomes {
	o := &m.outcomes[i]
	return Outcomes{o[0].Load(), o[1].Load(), o[2].Load(), o[3].Load()}
}

// hopeless reports whether an actor has only failed, and often enough to say
// that its script is wrong rather than unlucky.
func (m *meter) hopeless(actor int) bool {
	o := m.outcomesOf(actor)
	return o.Accepted == 0 && o.Refused == 0 && o.Failed >= 10
}

// newRound makes counts begin anew. No lane runs.
func (m *meter) newRound() {
	for i := range m.base {
		m.base[i] = m.outcomesOf(i)
	}
}

// counts is how the calls ended since the last reset, for invariants.
func (m *meter) counts() []scenario.Count {
	list := make([]scenario.Count, len(m.actors))
	for i, name := range m.actors {
		o, b := m.outcomesOf(i), m.base[i]
		list[i] = scenario.Count{
			Actor: name, OK: o.Accepted - b.Accepted, Refused: o.Refused - b.Refused,
			Failed: o.Failed - b.Failed, Unknown: o.Unknown - b.Unknown,
		}
	}
	return sum(list, m.others)
}

func (m *meter) snapshot(phase string) Snapshot {
	s := Snapshot{Phase: phase, Outcomes: map[string]Outcomes{}, Errors: map[string]int64{}}
	for i, name := range m.actors {
		o := m.outcomesOf(i)
		s.Outcomes[name] = o
		s.Total.Accepted += o.Accepted
		s.Total.Refused += o.Refused
		s.Total.Failed += o.Failed
		s.Total.Unknown += o.Unknown
	}
	s.Retries, s.Waits, s.Rounds = m.retries.Load(), m.waits.Load(), m.rounds.Load()
	s.P50, s.P99, s.Max = m.latency.quantile(0.5), m.latency.quantile(0.99), m.latency.quantile(1)
	m.errMu.Lock()
	for k, n := range m.errors {
		s.Errors[k] = n
	}
	m.errMu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.begun.IsZero() {
		s.Elapsed = time.Since(m.begun)
	}
	s.Slot, s.Marks = m.slot, slices.Clone(m.marks)
	for _, slot := range m.heat {
		s.Heat = append(s.Heat, slices.Clone(slot))
		var calls int64
		for _, n := range slot {
			calls += n
		}
		s.Throughput = append(s.Throughput, float64(calls)/m.slot.Seconds())
	}
	if n := len(m.recent); n > 1 {
		first, last := m.recent[0], m.recent[n-1]
		s.Rate = float64(last.calls-first.calls) / last.at.Sub(first.at).Seconds()
	}
	return s
}

// histogram counts durations in buckets of about 3 % width: 32 linear parts of
// each power of two, from a microsecond to an hour. hdrhistogram-go has the
// same layout but is not safe for concurrent use, and a histogram a lane with
// a lock was the largest part of the memory of 200 lanes.
type histogram [32 * 33]atomic.Int64

func (h *histogram) add(d time.Duration) { h[bucketOf(d)].Add(1) }

func bucketOf(d time.Duration) int {
	us := uint64(max(d, 0) / time.Microsecond)
	if us < 64 {
		return int(us)
	}
	shift := bits.Len64(us) - 6
	return min(shift*32+int(us>>shift), len(histogram{})-1)
}

// upperOf is the largest duration of a bucket.
func upperOf(i int) time.Duration {
	if i < 64 {
		return time.Duration(i) * time.Microsecond
	}
	shift := i/32 - 1
	return time.Duration(uint64(i-shift*32+1)<<shift-1) * time.Microsecond
}

// quantile returns an upper bound of the q-quantile, 0 when nothing was added.
func (h *histogram) quantile(q float64) time.Duration {
	var total int64
	for i := range h {
		total += h[i].Load()
	}
	want, seen := int64(q*float64(total)+0.5), int64(0)
	for i := range h {
		if seen += h[i].Load(); seen >= want && seen > 0 {
			return upperOf(i)
		}
	}
	return 0
}
