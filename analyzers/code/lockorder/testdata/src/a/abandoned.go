package a

import (
	"context"
	"sync"
)

type rpcClient struct {
	send func(serial uint32, payload []byte) error

	mu        sync.Mutex
	callbacks map[uint32]chan []byte
}

func (c *rpcClient) dispatch(serial uint32, reply []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ch, ok := c.callbacks[serial]; ok {
		ch <- reply // want "a value is sent while .*rpcClient.mu is held, to one who may no longer receive it"
	}
}

func (c *rpcClient) deregister(serial uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.callbacks, serial)
}

func (c *rpcClient) request(serial uint32, payload []byte) ([]byte, error) {
	ch := make(chan []byte)
	c.mu.Lock()
	c.callbacks[serial] = ch
	c.mu.Unlock()
	defer c.deregister(serial)
	if err := c.send(serial, payload); err != nil {
		return nil, err
	}
	return <-ch, nil
}

type waiters struct {
	mu   sync.RWMutex
	list map[string]chan int
}

// wait gives up when its context ends.
func (w *waiters) wait(ctx context.Context, id string) (int, error) {
	ch := make(chan int)
	w.mu.Lock()
	w.list[id] = ch
	w.mu.Unlock()
	select {
	case n := <-ch:
		return n, nil
	case <-ctx.Done():
		w.mu.Lock()
		delete(w.list, id)
		w.mu.Unlock()
		return 0, ctx.Err()
	}
}

func (w *waiters) done(id string, n int) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	ch := w.list[id]
	if ch != nil {
		ch <- n // want "a value is sent while .*waiters.mu is held, to one who may no longer receive it"
	}
}

// There is room for the answer; nobody gives up; the lock is taken once the answer is
// there; the sender has given the lock back, or does not insist.

type roomy struct {
	mu   sync.Mutex
	list map[string]chan int
}

func (r *roomy) wait(ctx context.Context, id string) int {
	ch := make(chan int, 1)
	r.mu.Lock()
	r.list[id] = ch
	r.mu.Unlock()
	defer r.drop(id)
	select {
	case n := <-ch:
		return n
	case <-ctx.Done():
		return 0
	}
}

func (r *roomy) drop(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.list, id)
}

func (r *roomy) done(id string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ch, ok := r.list[id]; ok {
		ch <- n
	}
}

type patient struct {
	mu   sync.Mutex
	list map[string]chan int
}

func (p *patient) wait(id string) int {
	ch := make(chan int)
	p.mu.Lock()
	p.list[id] = ch
	p.mu.Unlock()
	n := <-ch
	p.mu.Lock()
	delete(p.list, id)
	p.mu.Unlock()
	return n
}

func (p *patient) done(id string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ch, ok := p.list[id]; ok {
		ch <- n
	}
}

type polite struct {
	mu   sync.Mutex
	list map[string]chan int
}

func (p *polite) wait(ctx context.Context, id string) int {
	ch := make(chan int)
	p.mu.Lock()
	p.list[id] = ch
	p.mu.Unlock()
	defer p.drop(id)
	select {
	case n := <-ch:
		return n
	case <-ctx.Done():
		return 0
	}
}

func (p *polite) drop(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.list, id)
}

func (p *polite) done(id string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.list[id] <- n:
	default:
	}
}
