package a

import (
	"sync"
	"sync/atomic"
)

type upstream struct {
	conns atomic.Int64
	old   int32
	busy  atomic.Bool
	down  atomic.Bool
	max   int64
}

func (u *upstream) full() bool { return u.conns.Load() >= u.max }

type balancer struct {
	mu        sync.Mutex
	upstreams []*upstream
	byName    map[string]*upstream
}

func (b *balancer) roomy() *upstream {
	for _, u := range b.upstreams {
		if !u.full() {
			return u
		}
	}
	return nil
}

// The one that has room is full when this one counts itself.
func (b *balancer) Forward(serve func(*upstream)) bool {
	u := b.roomy()
	if u == nil {
		return false
	}
	u.conns.Add(1) // want `check then act: upstream.conns is compared with a limit`
	defer u.conns.Add(-1)
	serve(u)
	return true
}

// In one loop, with the functions of before there were types.
func (b *balancer) Enter() *upstream {
	for _, u := range b.upstreams {
		if atomic.LoadInt32(&u.old) < 8 {
			atomic.AddInt32(&u.old, 1) // want `check then act: upstream.old is compared with a limit`
			return u
		}
	}
	return nil
}

func (b *balancer) idle() (*upstream, bool) {
	for _, u := range b.upstreams {
		if u.busy.Load() {
			continue
		}
		return u, true
	}
	return nil, false
}

// Two take one that is idle.
func (b *balancer) Take(serve func(*upstream)) {
	u, ok := b.idle()
	if !ok {
		return
	}
	u.busy.Store(true) // want `upstream.busy`
	defer u.busy.Store(false)
	serve(u)
}

// The sum decides.
func (u *upstream) enter() bool {
	if u.conns.Add(1) <= u.max {
		return true
	}
	u.conns.Add(-1)
	return false
}

func (b *balancer) Admit() *upstream {
	for _, u := range b.upstreams {
		if u.enter() {
			return u
		}
	}
	return nil
}

// One of two gets it; the other is told so, and who has it gives it back.
func (b *balancer) Claim(serve func(*upstream)) {
	u, ok := b.idle()
	if !ok || !u.busy.CompareAndSwap(false, true) {
		return
	}
	serve(u)
	u.busy.Store(false)
}

// The lock is held over both.
func (b *balancer) Guarded() *upstream {
	b.mu.Lock()
	defer b.mu.Unlock()
	u := b.roomy()
	if u != nil {
		u.conns.Add(1)
	}
	return u
}

// The least of all is a preference: nobody is kept out.
func (b *balancer) Least() *upstream {
	var best *upstream
	least := int64(0)
	for _, u := range b.upstreams {
		if n := u.conns.Load(); best == nil || n < least {
			best, least = u, n
		}
	}
	if best != nil {
		best.conns.Add(1)
	}
	return best
}

// So is the first that has nothing to do.
func (b *balancer) Prefer() *upstream {
	for _, u := range b.upstreams {
		if u.conns.Load() == 0 {
			u.conns.Add(1)
			return u
		}
	}
	return nil
}

func (b *balancer) healthy() *upstream {
	for _, u := range b.upstreams {
		if !u.down.Load() {
			return u
		}
	}
	return nil
}

// Several may use one that is up, and all that fail say so.
func (b *balancer) Try(serve func(*upstream) error) {
	u := b.healthy()
	if u == nil {
		return
	}
	if err := serve(u); err != nil {
		u.down.Store(true)
	}
}
