package cluster

import (
	"fmt"
	"io"
	"net"
	"sync"
)

// relay passes TCP connections on, or loses them.
type relay struct {
	to       string
	listener net.Listener

	mu    sync.Mutex
	off   bool
	conns map[net.Conn]bool
	work  sync.WaitGroup
}

func newRelay(to string) (*relay, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the replica: %w", err)
	}
	r := &relay{to: to, listener: l, conns: map[net.Conn]bool{}}
	r.work.Go(r.accept)
	return r, nil
}

func (r *relay) address() string { return r.listener.Addr().String() }

func (r *relay) accept() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return // it was closed
		}
		r.work.Go(func() { r.pass(c) })
	}
}

// keep takes a connection over, unless the relay is off.
func (r *relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.off {
		c.Close()
		return false
	}
	r.conns[c] = true
	return true
}

func (r *relay) drop(c net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
	c.Close()
}

// pass copies both ways until one side ends. What the copies meet is the end of a
// connection, and nobody's error.
func (r *relay) pass(c net.Conn) {
	if !r.keep(c) {
		return
	}
	defer r.drop(c)
	up, err := net.Dial("tcp4", r.to)
	if err != nil || !r.keep(up) {
		return
	}
	defer r.drop(up)
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(up, c); up.Close() })
	both.Go(func() { _, _ = io.Copy(c, up); c.Close() })
	both.Wait()
}

// cut ends all connections and takes no new one, or takes them again.
func (r *relay) cut(off bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.off = off
	if off {
		for c := range r.conns {
			c.Close()
		}
	}
}

func (r *relay) close() {
	r.cut(true)
	r.listener.Close()
	r.work.Wait()
}
