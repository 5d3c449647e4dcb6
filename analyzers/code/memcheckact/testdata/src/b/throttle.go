package b

import "sync"

// A try is counted before it is made, with the lock of the look.
type tries struct {
	n    int
	last string
}

type Throttle struct {
	mu    sync.Mutex
	limit int
	by    map[string]*tries
}

func (t *Throttle) reserve(who string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	w, ok := t.by[who]
	if !ok {
		w = &tries{}
		t.by[who] = w
	}
	if w.n >= t.limit {
		return false
	}
	w.n++
	return true
}

// note writes down what nothing asks for.
func (t *Throttle) note(who, how string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w, ok := t.by[who]
	if !ok {
		w = &tries{}
		t.by[who] = w
	}
	w.last = how
}

func (t *Throttle) Login(who string, verify func() bool) bool {
	if !t.reserve(who) {
		return false
	}
	ok := verify()
	if !ok {
		t.note(who, "refused")
	}
	return ok
}
