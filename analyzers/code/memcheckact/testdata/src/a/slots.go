package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Runner asks by a helper and sets by itself: the flag is one place, whatever
// is stored in it later.
type Runner struct {
	mu      sync.Mutex
	running bool
	jobs    map[string]context.CancelFunc
	max     int
	dial    func(string) (*Runner, error)
	peers   map[string]*Runner
}

func (r *Runner) isRunning() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running
}

func (r *Runner) Start() error {
	if r.isRunning() {
		return errors.New("running")
	}
	r.mu.Lock()
	r.running = true // want `check then act`
	r.mu.Unlock()
	return nil
}

func (r *Runner) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.jobs)
}

func (r *Runner) Add(ctx context.Context, id string) error {
	if r.count() >= r.max {
		return errors.New("no free slot")
	}
	_, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.jobs[id] = cancel // want `check then act`
	return nil
}

func (r *Runner) Peer(addr string) (*Runner, error) {
	r.mu.Lock()
	p, ok := r.peers[addr]
	r.mu.Unlock()
	if ok {
		return p, nil
	}
	p, err := r.dial(addr)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peers[addr] = p // want `check then act`
	return p, nil
}

type Gate struct {
	n    atomic.Int64
	max  int64
	busy atomic.Bool
}

func (g *Gate) Enter() bool {
	if g.n.Load() >= g.max {
		return false
	}
	g.n.Add(1) // want `is compared with a limit, and then counted`
	return true
}

// EnterChecked looks at the sum, and takes its part back.
func (g *Gate) EnterChecked() bool {
	if g.n.Load() >= g.max {
		return false
	}
	if g.n.Add(1) > g.max {
		g.n.Add(-1)
		return false
	}
	return true
}

// Try loads as a short cut; the swap decides.
func (g *Gate) Try(f func()) bool {
	if g.busy.Load() {
		return false
	}
	if !g.busy.CompareAndSwap(false, true) {
		return false
	}
	defer g.busy.Store(false)
	f()
	return true
}

// Mark sets a flag in a loop, and does nothing else when it was not set.
func (g *Gate) Mark(in <-chan func()) {
	for f := range in {
		if !g.busy.Load() {
			g.busy.Store(true)
		}
		f()
	}
}

type inbox struct {
	mu sync.Mutex
	m  map[string][]string
}

func (i *inbox) all(u string) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.m[u]
}

func (i *inbox) replace(u string, ms []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.m[u] = ms
}

func (i *inbox) Deliver(u, msg string) {
	i.replace(u, append(i.all(u), msg)) // want `lost update`
}
