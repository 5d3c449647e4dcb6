package a

import "sync"

// A count is compared by one method, and counted up by another.
type tries struct{ n int }

type Throttle struct {
	mu    sync.Mutex
	limit int
	by    map[string]*tries
}

func (t *Throttle) allowed(who string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	w, ok := t.by[who]
	return !ok || w.n < t.limit
}

func (t *Throttle) failed(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w, ok := t.by[who]
	if !ok {
		w = &tries{}
		t.by[who] = w
	}
	w.n++
}

func (t *Throttle) Login(who string, verify func() bool) bool {
	if !t.allowed(who) {
		return false
	}
	ok := verify()
	if !ok {
		t.failed(who) // want `check then act`
	}
	return ok
}
