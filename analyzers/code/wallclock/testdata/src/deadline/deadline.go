package deadline

import (
	"encoding/json"
	"sync/atomic"
	"time"
)

type timer struct {
	when int64
	f    func()
}

type queue struct{ timers []*timer }

func nano() int64 { return time.Now().UnixNano() }

func (q *queue) after(d time.Duration, f func()) {
	q.timers = append(q.timers, &timer{when: nano() + int64(d), f: f})
}

func (q *queue) due() (n int) {
	now := nano()
	for _, t := range q.timers {
		if t.when <= now { // want `a deadline made of one Unix reading`
			n++
		}
	}
	return n
}

type entry[V any] struct {
	value V
	until int64
}

type cache[K comparable, V any] struct {
	life  time.Duration
	items map[K]entry[V]
}

func (c *cache[K, V]) put(k K, v V) {
	c.items[k] = entry[V]{v, time.Now().Add(c.life).UnixMilli()}
}

func (c *cache[K, V]) get(k K) (v V, ok bool) {
	e, ok := c.items[k]
	if ok && e.until < time.Now().UnixMilli() { // want `a deadline made of one Unix reading`
		return v, false
	}
	return e.value, ok
}

type pacer struct {
	next int64
	gap  time.Duration
}

func (p *pacer) wait() {
	if left := p.next - nano(); left > 0 { // want `what is left until a deadline`
		time.Sleep(time.Duration(left))
	}
	p.next = time.Now().Add(p.gap).UnixNano()
}

type breaker struct {
	until   int64
	tripped atomic.Int64
}

func (b *breaker) trip(d time.Duration) {
	atomic.StoreInt64(&b.until, nano()+int64(d))
	b.tripped.Store(nano())
}

func (b *breaker) open() bool {
	return nano() < atomic.LoadInt64(&b.until) // want `a deadline made of one Unix reading`
}

func (b *breaker) since() int64 { return nano() - b.tripped.Load() } // want `the difference of two Unix readings`

// Near misses: what is written down can be no time.Time with a monotonic part; the
// same without a tag; times of this process.

type ticket struct {
	Expires int64 `json:"expires"`
}

func issue() ([]byte, error) {
	return json.Marshal(ticket{time.Now().Add(time.Hour).Unix()})
}

func (t ticket) good() bool { return time.Now().Unix() < t.Expires }

// job is due again some seconds after each run.
type job struct {
	run    func()
	nextAt int64
}

type schedule struct{ jobs []*job }

func seconds() int64 { return time.Now().Unix() }

func (s *schedule) add(run func()) { s.jobs = append(s.jobs, &job{run, seconds() + 30}) }

func (s *schedule) tick() {
	for _, j := range s.jobs {
		late := seconds() - j.nextAt // want `what is left until a deadline`
		if late >= 0 {
			j.run()
			j.nextAt = seconds() + 30
		}
	}
}

// page says how long ago something was written elsewhere: nothing here is due.
type page struct{ writtenAt int64 }

func (p *page) set(at int64) { p.writtenAt = at }

func (p *page) old() bool { return seconds()-p.writtenAt >= 30 }

type state struct{ Until int64 }

func (s *state) save() ([]byte, error) {
	s.Until = time.Now().Add(time.Hour).Unix()
	return json.Marshal(s)
}

func (s *state) good() bool { return time.Now().Unix() < s.Until }

type kept struct{ until time.Time }

func (k *kept) extend(d time.Duration) { k.until = time.Now().Add(d) }

func (k *kept) good() bool { return time.Now().Before(k.until) }

// What others gave is no reading.
type remote struct{ until int64 }

func (r *remote) set(until int64) { r.until = until }

func (r *remote) good() bool { return time.Now().Unix() < r.until }

// A limit that is taken from the clock, and not from the stamp; two stamps.

type client struct{ seen, begin, end int64 }

type limiter struct{ clients map[string]*client }

func (l *limiter) hit(ip string) {
	c := &client{seen: time.Now().Unix(), begin: nano()}
	c.end = nano()
	l.clients[ip] = c
}

func (l *limiter) sweep() {
	cutoff := time.Now().Unix() - 180
	for ip, c := range l.clients {
		if c.seen < cutoff { // want `a deadline made of one Unix reading`
			delete(l.clients, ip)
		}
	}
}

func (c *client) took() int64 { return c.end - c.begin } // want `the difference of two Unix readings`

// Near miss: rows are older than that by their own stamps.

type row struct {
	At int64 `db:"at"`
}

func newRow() row { return row{time.Now().Unix()} }

func (r row) old() bool { return r.At < time.Now().Unix()-86400 }
