package a

import "sync"

// A pooled connection is a connection around another one: Close gives that back,
// and the pool closes it when it is full. No pooled connection is inside of another.
type closer interface{ Close() error }

type pooled struct {
	closer
	mu   sync.RWMutex
	pool *connPool
	bad  bool
}

func (p *pooled) Close() error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.bad {
		return p.closer.Close()
	}
	return p.pool.put(p.closer)
}

func (p *pooled) fail() {
	p.mu.Lock()
	p.bad = true
	p.mu.Unlock()
}

type connPool struct {
	mu    sync.Mutex
	conns chan closer
}

func (c *connPool) put(conn closer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case c.conns <- conn:
		return nil
	default:
		return conn.Close()
	}
}

func (c *connPool) get() closer { return &pooled{closer: <-c.conns, pool: c} }

// A listener that asks the board again while the board calls it is no such wrapper.
type listener interface{ changed(key string) }

type board struct {
	mu        sync.Mutex
	vals      map[string]int
	listeners []listener
}

func (b *board) set(key string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.vals[key] = n
	for _, l := range b.listeners {
		l.changed(key) // want `deadlock`
	}
}

func (b *board) get(key string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.vals[key]
}

type gauge struct {
	mu   sync.Mutex
	b    *board
	last int
}

func (g *gauge) changed(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = g.b.get(key)
}

func watch(b *board) { b.listeners = append(b.listeners, &gauge{b: b}) }
