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

type room struct{ peers map[string]bool }

type hall struct {
	mu    sync.Mutex
	rooms map[string]*room
	notes map[string]*note
}

type note struct{ text string }

// Who names a room makes it, through a helper.
func (h *hall) room(name string) *room {
	r := h.rooms[name]
	if r == nil {
		r = &room{peers: map[string]bool{}}
		h.rooms[name] = r // want `the field rooms only grows: HTTP handlers add to it`
	}
	return r
}

func (h *hall) join(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.room(r.PathValue("room")).peers[r.FormValue("peer")] = true
}

// A note is data.
func (h *hall) write(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.notes[r.PathValue("note")] == nil {
		h.notes[r.PathValue("note")] = &note{text: r.FormValue("text")}
	}
}

func hallRoutes() {
	h := &hall{}
	http.HandleFunc("/join", h.join)
	http.HandleFunc("/write", h.write)
}
