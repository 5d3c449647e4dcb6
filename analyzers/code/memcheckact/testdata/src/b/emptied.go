package b

import "sync"

// Halls are thrown away when nobody is left in them, with the lock of all held from
// the look on.
type hall struct {
	mu  sync.Mutex
	who map[string]bool
}

type Halls struct {
	mu  sync.RWMutex
	all map[string]*hall
}

func (h *Halls) Leave(name, who string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	x := h.all[name]
	if x == nil {
		return
	}
	x.mu.Lock()
	delete(x.who, who)
	left := len(x.who)
	x.mu.Unlock()
	if left == 0 {
		delete(h.all, name)
	}
}

func (h *Halls) LeaveTwice(name, who string) {
	h.mu.RLock()
	x := h.all[name]
	h.mu.RUnlock()
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
	h.mu.Lock()
	defer h.mu.Unlock()
	if y := h.all[name]; y == nil || len(y.who) > 0 {
		return
	}
	delete(h.all, name)
}
