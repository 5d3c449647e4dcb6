package a

import (
	"context"
	"slices"
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

// The channel is part of what is put into the map.

type pendingCall struct{ done chan error }

type wireConn struct {
	mu      sync.Mutex
	pending map[int]*pendingCall
}

func (l *wireConn) do(ctx context.Context, id int) error {
	c := &pendingCall{done: make(chan error)}
	l.mu.Lock()
	l.pending[id] = c
	l.mu.Unlock()
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		l.forget(id)
		return ctx.Err()
	}
}

func (l *wireConn) forget(id int) {
	l.mu.Lock()
	delete(l.pending, id)
	l.mu.Unlock()
}

func (l *wireConn) reply(id int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.pending[id]; c != nil {
		c.done <- err // want "a value is sent while .*wireConn.mu is held, to one who may no longer receive it"
	}
}

// A function registers, and answers with the channel; all are sent to.

type newsBus struct {
	mu   sync.RWMutex
	subs map[string]chan string
}

func (b *newsBus) add(id string) chan string {
	ch := make(chan string)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs[id] = ch
	return ch
}

func (b *newsBus) remove(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.subs, id)
}

func (b *newsBus) follow(ctx context.Context, id string, use func(string) error) error {
	ch := b.add(id)
	defer b.remove(id)
	for {
		select {
		case s := <-ch:
			if err := use(s); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

func (b *newsBus) publish(s string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, ch := range b.subs {
		ch <- s // want "a value is sent while .*newsBus.mu is held, to one who may no longer receive it"
	}
}

type announcement struct {
	mu   sync.Mutex
	subs []chan int
}

func (t *announcement) listen(stop chan struct{}, use func(int)) {
	ch := make(chan int)
	t.mu.Lock()
	t.subs = append(t.subs, ch)
	t.mu.Unlock()
	for {
		select {
		case n := <-ch:
			use(n)
		case <-stop:
			t.mu.Lock()
			t.subs = slices.DeleteFunc(t.subs, func(c chan int) bool { return c == ch })
			t.mu.Unlock()
			return
		}
	}
}

func (t *announcement) tell(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, ch := range t.subs {
		ch <- n // want "a value is sent while .*announcement.mu is held, to one who may no longer receive it"
	}
}

// Who asks waits for the answer, and takes the lock once more then.

type faithful struct {
	mu      sync.Mutex
	pending map[int]*pendingAnswer
	served  int
}

type pendingAnswer struct{ done chan int }

func (f *faithful) ask(id int) int {
	p := &pendingAnswer{done: make(chan int)}
	f.mu.Lock()
	f.pending[id] = p
	f.mu.Unlock()
	n := <-p.done
	f.mu.Lock()
	f.served++
	f.mu.Unlock()
	return n
}

func (f *faithful) reply(id, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.pending[id]; p != nil {
		p.done <- n
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
