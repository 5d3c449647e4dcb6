package a

import (
	"sync"
	"time"
)

// pacer sends at most once in a second; nothing is kept of it.
type pacer struct {
	mu   sync.Mutex
	last time.Time
	sent int
}

func (q *pacer) Send(send func()) int {
	q.mu.Lock()
	if time.Since(q.last) < time.Second {
		n := q.sent
		q.mu.Unlock()
		return n
	}
	q.mu.Unlock()
	send()
	q.mu.Lock()
	q.last = time.Now() // want `check then act`
	q.sent++
	q.mu.Unlock()
	return 0
}

// dialer sets its flag in a second step.
type dialer struct {
	mu      sync.Mutex
	dialing bool
}

func (n *dialer) Dial(dial func()) {
	n.mu.Lock()
	if n.dialing {
		n.mu.Unlock()
		return
	}
	n.mu.Unlock()
	n.mu.Lock()
	n.dialing = true // want `check then act`
	n.mu.Unlock()
	dial()
}

// rooms are made by the goroutine, and by whoever enters.
type rooms struct {
	all  sync.Map
	join chan string
}

type room struct{ ch chan int }

func newRooms() *rooms {
	h := &rooms{join: make(chan string)}
	go h.run()
	return h
}

func (h *rooms) open(name string) *room {
	if t, ok := h.all.Load(name); ok {
		return t.(*room)
	}
	t := &room{ch: make(chan int)}
	h.all.Store(name, t) // want `check then act`
	return t
}

func (h *rooms) run() {
	for name := range h.join {
		h.open(name).ch <- 1
	}
}

func (h *rooms) Enter(name string) *room { return h.open(name) }
