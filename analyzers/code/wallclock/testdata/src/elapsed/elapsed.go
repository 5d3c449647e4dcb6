package elapsed

import (
	"fmt"
	"time"
)

type Timer struct {
	sum   int64
	began int64
	start time.Time
}

func nano() int64 { return time.Now().UnixNano() }

func (t *Timer) Sum(f func()) {
	from := nano()
	f()
	t.sum += nano() - from // want `elapsed time measured with the wall clock`
}

func (t *Timer) Begin() { t.began = time.Now().Unix() }

func (t *Timer) Seconds() int64 {
	return time.Now().Unix() - t.began // want `elapsed time measured with the wall clock`
}

func UTC(f func()) time.Duration {
	start := time.Now().UTC()
	f()
	return time.Since(start) // want `drop the monotonic reading`
}

func Poll(done func() bool) bool {
	end := time.Now().Unix() + 30
	for time.Now().Unix() < end { // want `a deadline made of one Unix reading`
		if done() {
			return true
		}
	}
	return false
}

type Job struct {
	StartedAt time.Time `json:"started_at"`
	CreatedAt time.Time `json:"created_at"`
}

func (j Job) Elapsed() time.Duration {
	return time.Since(j.StartedAt) // want `elapsed time since a stored time`
}

// Near misses: monotonic, clamped, only compared, only shown.

func Mono(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func (j Job) Clamped() time.Duration { return max(0, time.Since(j.StartedAt)) }

func (j Job) Old() bool { return time.Since(j.StartedAt) > time.Hour }

func (j Job) Show() { fmt.Println(time.Since(j.StartedAt)) }

func (j Job) Age() time.Duration { return time.Since(j.CreatedAt) }

func (t *Timer) Stamp() int64 { return time.Now().Unix() } // want Stamp:"tells the time"

func (t *Timer) Kept() time.Duration { return time.Since(t.start) }

func (t *Timer) Start() { t.start = time.Now() }

var lastRun int64

func Limit() bool {
	now := time.Now().UnixMilli()
	if now-lastRun < 1000 { // want `elapsed time measured with the wall clock`
		return false
	}
	lastRun = now
	return true
}

type run struct {
	Start int64 `json:"start"`
}

func (r run) Duration() int64 { return time.Now().Unix() - r.Start } // want `elapsed time measured with the wall clock`

func (r run) Late() bool { return time.Now().Unix()-r.Start > 60 }

// presence keeps the last beat of everybody.
type presence struct {
	last  map[string]int64
	beats map[string]time.Time
}

func (p *presence) beat(id string) {
	p.last[id] = time.Now().Unix()
	p.beats[id] = time.Now()
}

func (p *presence) idle(id string) (int64, time.Duration) {
	return time.Now().Unix() - p.last[id], time.Since(p.beats[id]) // want `elapsed time measured with the wall clock`
}

type span struct{ start, exact time.Time }

func begin() *span { return &span{start: time.Now().UTC(), exact: time.Now()} }

func (s *span) end() (time.Duration, time.Duration) {
	a := time.Now().UTC().Sub(s.start) // want `elapsed time measured with the wall clock`
	return a, time.Since(s.exact)
}

var booted = time.Now().Unix()

func up() int64 {
	return time.Now().Unix() - booted // want `the difference of two Unix readings`
}
