package a

import (
	"net/http"
	"sync"
)

type hooks struct {
	mu      sync.Mutex
	seen    map[string]bool
	enabled map[string]bool
}

// Whoever sends an event names it, and each is remembered for ever.
func (h *hooks) event(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("X-Event-Id")
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seen[id] {
		return
	}
	h.seen[id] = true // want `the field seen only grows: HTTP handlers add to it`
	w.WriteHeader(http.StatusAccepted)
}

// What is set without a look is a switch.
func (h *hooks) enable(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.enabled[r.PathValue("name")] = true
}

func hookRoutes() {
	h := &hooks{seen: map[string]bool{}, enabled: map[string]bool{}}
	http.HandleFunc("/event", h.event)
	http.HandleFunc("/enable", h.enable)
}
