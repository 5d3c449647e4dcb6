package a

import (
	"errors"
	"os"
	"sync"
)

type crew struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	done int
}

func (c *crew) work() {
	defer c.wg.Done()
	c.mu.Lock()
	c.done++
	c.mu.Unlock()
}

func (c *crew) start(n int) {
	for range n {
		c.wg.Add(1)
		go c.work()
	}
}

func (c *crew) stop() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wg.Wait() // want `goroutines are waited for while a.crew.mu is held`
	return c.done
}

func (c *crew) stopFirst() int {
	c.wg.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done
}

type relay struct {
	mu   sync.Mutex
	in   chan string
	room chan string
	subs map[string]func(string)
}

func newRelay() *relay {
	return &relay{in: make(chan string), room: make(chan string, 16), subs: map[string]func(string){}}
}

func (r *relay) run() {
	for s := range r.in {
		r.mu.Lock()
		for _, f := range r.subs {
			f(s)
		}
		r.mu.Unlock()
	}
}

func (r *relay) runRoom() {
	for range r.room {
		r.mu.Lock()
		clear(r.subs)
		r.mu.Unlock()
	}
}

func (r *relay) join(name string, f func(string)) {
	r.mu.Lock()
	r.subs[name] = f
	r.in <- name // want `a value is sent while a.relay.mu is held`
	r.mu.Unlock()
}

func (r *relay) joinAfter(name string, f func(string)) {
	r.mu.Lock()
	r.subs[name] = f
	r.room <- name // there is room
	r.mu.Unlock()
	r.in <- name
}

type vars struct {
	mu sync.RWMutex
	m  map[string]string
}

func (v *vars) get(k string) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.m[k]
}

func (v *vars) set(k, s string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.m[k] = s
}

func (v *vars) expand(s string) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return os.Expand(s, v.get) // want `is taken for reading while it is held for reading`
}

type purse struct {
	mu   sync.Mutex
	left int64
}

// pay compares with an amount, which puts the locks in no order.
func pay(from, to *purse, n int64) error {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock() // want `two values of one type are locked in the order in which the caller gives them`
	defer to.mu.Unlock()
	if from.left < n {
		return errors.New("poor")
	}
	from.left -= n
	to.left += n
	return nil
}
