package a

import "sync"

type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (t *tally) incr(k string) {
	t.mu.Lock()
	t.n[k]++
	t.mu.Unlock()
}

// In a loop, what the callee gives back is its own.
func (t *tally) Reset(keys ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range keys {
		t.incr(k) // want `while the same goroutine holds it already`
	}
}
