package b

import (
	"sync"
	"sync/atomic"
)

// Feed is closed under a lock, and by who swapped the flag.
type Feed struct {
	mu    sync.Mutex
	stop  chan struct{}
	ended atomic.Bool
	end   chan struct{}
}

func (f *Feed) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.stop:
	default:
		close(f.stop)
	}
}

func (f *Feed) End() {
	select {
	case <-f.end:
		return
	default:
	}
	if f.ended.CompareAndSwap(false, true) {
		close(f.end)
	}
}

// again looks once more under the lock.
func (f *Feed) again() {
	select {
	case <-f.stop:
		return
	default:
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.stop:
	default:
		close(f.stop)
	}
}

// Gate opens in a function that everybody calls with the lock.
type Gate struct {
	mu   sync.Mutex
	open chan struct{}
}

func (g *Gate) openNow() {
	select {
	case <-g.open:
	default:
		close(g.open)
	}
}

func (g *Gate) Open() {
	g.mu.Lock()
	g.openNow()
	g.mu.Unlock()
}

// Spool keeps the read lock while it sends.
type Spool struct {
	mu     sync.RWMutex
	closed bool
	jobs   chan int
}

func (s *Spool) Add(job int) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return false
	}
	s.jobs <- job
	return true
}

func (s *Spool) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.jobs)
	}
}

// Press never closes what is sent on.
type Press struct {
	closed atomic.Bool
	quit   chan struct{}
	in     chan []byte
}

func (p *Press) Print(page []byte) {
	if p.closed.Load() {
		return
	}
	select {
	case p.in <- page:
	case <-p.quit:
	}
}

func (p *Press) Close() {
	if p.closed.CompareAndSwap(false, true) {
		close(p.quit)
	}
}

// Queue waits for all who send before it closes.
type Queue struct {
	senders sync.WaitGroup
	closed  atomic.Bool
	ch      chan int
}

func (q *Queue) Put(n int) {
	q.senders.Add(1)
	defer q.senders.Done()
	if q.closed.Load() {
		return
	}
	q.ch <- n
}

func (q *Queue) Close() {
	if q.closed.Swap(true) {
		return
	}
	q.senders.Wait()
	close(q.ch)
}

// Tap catches the panic of a channel that was closed meanwhile.
type Tap struct {
	closed atomic.Bool
	ch     chan int
}

func (t *Tap) Put(n int) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if t.closed.Load() {
		return false
	}
	t.ch <- n
	return true
}

func (t *Tap) Close() {
	if !t.closed.Swap(true) {
		close(t.ch)
	}
}

// Pump is ended by the one goroutine that sends.
type Pump struct {
	off atomic.Bool
	ch  chan int
}

func (p *Pump) run() {
	for n := 0; ; n++ {
		if p.off.Load() {
			close(p.ch)
			return
		}
		p.ch <- n
	}
}

func (p *Pump) Off() { p.off.Store(true) }

// Desk is opened where an old channel is closed: the flag keeps nobody from that.
type Desk struct {
	open atomic.Bool
	work chan func()
}

func (d *Desk) Ask(f func()) {
	if d.open.Load() {
		d.work <- f
	}
}

func (d *Desk) Reopen() {
	old := d.work
	d.work = make(chan func())
	d.open.Store(true)
	close(old)
}
