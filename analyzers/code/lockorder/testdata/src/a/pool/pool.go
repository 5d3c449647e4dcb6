package pool // want package:"orders of locks"

import "sync"

type Closer interface{ Close() error }

type Conn struct {
	Closer
	mu   sync.Mutex
	pool *Pool
}

func (p *Conn) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pool.put(p.Closer)
}

type Pool struct {
	mu    sync.Mutex
	conns chan Closer
}

func (c *Pool) put(conn Closer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case c.conns <- conn:
		return nil
	default:
		return conn.Close()
	}
}

func (c *Pool) Get() Closer { return &Conn{Closer: <-c.conns, pool: c} }
