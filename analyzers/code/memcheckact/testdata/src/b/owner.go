package b

import (
	"context"
	"sync"
	"time"
)

// pressure keeps an answer for a second.
type pressure struct {
	mu     sync.Mutex
	asked  time.Time
	reject bool
}

func (q *pressure) ask(ctx context.Context) (bool, error) { return ctx.Err() != nil, nil }

func (q *pressure) Full(ctx context.Context) (bool, error) {
	q.mu.Lock()
	if !q.asked.IsZero() && time.Since(q.asked) < time.Second {
		reject := q.reject
		q.mu.Unlock()
		return reject, nil
	}
	q.mu.Unlock()
	reject, err := q.ask(ctx)
	if err != nil {
		return false, err
	}
	q.mu.Lock()
	q.asked = time.Now()
	q.reject = reject
	q.mu.Unlock()
	return reject, nil
}

// peer is dialled by the one that has set the flag, and that one takes it back.
type peer struct {
	mu      sync.Mutex
	dialing bool
	up      bool
}

func (n *peer) Dial(dial func() error) {
	n.mu.Lock()
	if n.dialing {
		n.mu.Unlock()
		return
	}
	n.dialing = true
	n.mu.Unlock()
	for {
		if dial() == nil {
			n.mu.Lock()
			n.up = true
			n.dialing = false
			n.mu.Unlock()
			return
		}
	}
}

// hub: its goroutine makes all topics, and others look them up.
type hub struct {
	topics sync.Map
	join   chan string
}

type topic struct{ ch chan int }

func (h *hub) get(name string) *topic {
	if t, ok := h.topics.Load(name); ok {
		return t.(*topic)
	}
	return nil
}

func (h *hub) put(name string, t *topic) { h.topics.Store(name, t) }

func newHub() *hub {
	h := &hub{join: make(chan string)}
	go h.run()
	return h
}

func (h *hub) run() {
	for name := range h.join {
		t := h.get(name)
		if t == nil {
			t = &topic{ch: make(chan int)}
			h.put(name, t)
		}
		t.ch <- 1
	}
}

func (h *hub) Find(name string) *topic { return h.get(name) }
