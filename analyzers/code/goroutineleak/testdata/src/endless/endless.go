package endless

import (
	"context"
	"net/http"
	"sync"
	"time"
)

type Cache struct {
	mu sync.Mutex
	m  map[string]int
}

func NewCache() *Cache {
	c := &Cache{m: map[string]int{}}
	go c.sweep()
	return c
}

func (c *Cache) sweep() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for range t.C { // want `Stop does not close the channel of a ticker`
		c.mu.Lock()
		clear(c.m)
		c.mu.Unlock()
	}
}

type Poller struct{ n int }

func (p *Poller) Start() {
	go func() {
		for { // want `its loop has no exit`
			p.n++
			time.Sleep(time.Second)
		}
	}()
}

func (p *Poller) Close() {}

type Quiet struct{ stop chan struct{} }

func NewQuiet() *Quiet {
	q := &Quiet{stop: make(chan struct{})}
	go q.run()
	return q
}

func (q *Quiet) run() {
	t := time.NewTicker(time.Second)
	for { // want `it would stop on stop, which nobody closes`
		select {
		case <-t.C:
		case <-q.stop:
			return
		}
	}
}

func Handle(w http.ResponseWriter, r *http.Request) {
	go func() {
		for { // want `one is started for each request`
			time.Sleep(time.Second)
		}
	}()
}

// Near misses: a context, a stop channel that is closed, the life of the process.

type Good struct{ stop chan struct{} }

func NewGood(ctx context.Context) *Good {
	g := &Good{stop: make(chan struct{})}
	go g.run()
	go func() {
		t := time.NewTicker(time.Second)
		for {
			select {
			case <-t.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return g
}

func (g *Good) run() {
	t := time.NewTicker(time.Second)
	for {
		select {
		case <-t.C:
		case <-g.stop:
			return
		}
	}
}

func (g *Good) Close() { close(g.stop) }

type Server struct{ n int }

func (s *Server) Start() {
	go func() {
		for {
			s.n++
			time.Sleep(time.Second)
		}
	}()
}

func StartReporter() {
	go func() {
		for range time.Tick(time.Second) {
		}
	}()
}

var once = newOnce()

func init() { _ = newOnce }

type single struct{ n int }

func newOnce() *single { return &single{} }

// Workers that end when their channel is closed, which nobody does.
type Pool struct{ jobs chan int }

func NewPool() *Pool {
	p := &Pool{jobs: make(chan int)}
	go p.work()
	return p
}

func (p *Pool) work() {
	for j := range p.jobs { // want `it would stop on jobs, which nobody closes`
		_ = j
	}
}

func (p *Pool) Do(j int) { p.jobs <- j }

func (p *Pool) Stop() {}

type ClosedPool struct{ jobs chan int }

func NewClosedPool() *ClosedPool {
	p := &ClosedPool{jobs: make(chan int)}
	go p.work()
	return p
}

func (p *ClosedPool) work() {
	for j := range p.jobs {
		_ = j
	}
}

func (p *ClosedPool) Do(j int) { p.jobs <- j }

func (p *ClosedPool) Stop() { close(p.jobs) }

// One goroutine is one finding: its loop, and beside it the send in it.
type Numbers struct{ next chan int }

func NewNumbers() *Numbers {
	n := &Numbers{next: make(chan int)}
	go func() {
		for i := 0; ; i++ { // want `its loop has no exit`
			n.next <- i
		}
	}()
	return n
}

func (n *Numbers) Next() int { return <-n.next }
