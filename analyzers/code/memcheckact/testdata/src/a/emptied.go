package a

import "sync"

// Salons are thrown away when nobody is left in them.
type salon struct {
	mu  sync.Mutex
	who map[string]bool
}

type Salons struct {
	mu  sync.RWMutex
	all map[string]*salon
	n   sync.Map
}

func (r *Salons) salon(name string) *salon {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.all[name]
}

func (r *Salons) Leave(name, who string) {
	x := r.salon(name)
	if x == nil {
		return
	}
	x.mu.Lock()
	delete(x.who, who)
	left := len(x.who)
	x.mu.Unlock()
	if left > 0 {
		return
	}
	r.mu.Lock()
	delete(r.all, name) // want `deleted as empty: an entry of Salons.all`
	r.mu.Unlock()
}

// Ticket is looked at, and another one may be taken.
type Ticket struct {
	mu   sync.Mutex
	free []int
}

func (t *Ticket) peek() (int, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free) == 0 {
		return 0, false
	}
	return t.free[0], true
}

func (t *Ticket) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = t.free[1:]
}

func (t *Ticket) Take() (int, bool) {
	n, ok := t.peek()
	if ok {
		t.drop() // want `check then act`
	}
	return n, ok
}
