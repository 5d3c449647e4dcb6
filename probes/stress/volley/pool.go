package volley

import (
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/history"
)

// stuckTime is how long nothing goes on before a pool is said to wait for itself,
// and looks is the pause between two looks.
const (
	stuckTime = time.Second
	looks     = 100 * time.Millisecond
)

// pool watches the calls of a round that take a second connection while they have
// a transaction open, and records those that wait for one when nothing goes on any
// more: every connection is then with a call that waits for another one.
type pool struct {
	*run
	mu   sync.Mutex
	open map[int]bool // calls that were not answered, by client
	done chan struct{}
}

// watch begins to watch the calls of a team. told is told of each that ends.
func (r *run) watch(team []string) *pool {
	p := &pool{run: r, open: map[int]bool{}, done: make(chan struct{})}
	for i, name := range team {
		if r.Service.Learned(name).Alone.Nested {
			p.open[i] = true
		}
	}
	if len(p.open) > 0 {
		go p.loop()
	}
	return p
}

func (p *pool) told(client int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, client)
}

func (p *pool) close() { close(p.done) }

func (p *pool) loop() {
	t := time.NewTicker(looks)
	defer t.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-t.C:
		}
		if p.Gate.stuck(stuckTime) {
			p.record()
			return
		}
	}
}

func (p *pool) record() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for client := range p.open {
		rec := p.w.Recorder(client)
		rec.Record(&history.Op{Scope: history.ScopeWait, Kind: history.OK, Text: explore.PoolWait})
		_ = rec.Flush() // the writer keeps the error
	}
}
