package channel

import "sync"

// Channels of those who listen, in a map that they leave.

type bus struct {
	mu   sync.Mutex
	subs map[int]chan string
	n    int
}

func (b *bus) Subscribe() (int, <-chan string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	ch := make(chan string)
	b.subs[b.n] = ch
	return b.n, ch
}

func (b *bus) Leave(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.subs, n)
}

func (b *bus) Publish(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, ch := range b.subs {
		go func() {
			ch <- s // want `a subscriber can go between`
		}()
	}
}

// Drop does not wait for those that are slow.
func (b *bus) Drop(s string) {
	for _, ch := range b.subs {
		go func() {
			select {
			case ch <- s:
			default:
			}
		}()
	}
}

type floor struct {
	subs map[chan string]bool
}

func (h *floor) Join() chan string {
	c := make(chan string)
	h.subs[c] = true
	return c
}

func (h *floor) Leave(c chan string) { delete(h.subs, c) }

func (h *floor) Say(s string) {
	for c := range h.subs {
		go func(c chan<- string) {
			c <- s // want `a subscriber can go between`
		}(c)
	}
}

// Those of a roomy floor get one each.
type roomyFloor struct{ subs map[chan string]bool }

func (h *roomyFloor) Join() chan string {
	c := make(chan string, 1)
	h.subs[c] = true
	return c
}

func (h *roomyFloor) Say(s string) {
	for c := range h.subs {
		delete(h.subs, c)
		go func() { c <- s }()
	}
}
