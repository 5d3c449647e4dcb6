package a

import (
	"crypto/sha256"
	"encoding/json"
	"io"
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

var parsed sync.Map // by the digest of a body

func keepParsed(sum [32]byte, v map[string]any) {
	parsed.Store(sum, v) // want `parsed only grows: HTTP handlers add to it`
}

func parse(raw []byte) (map[string]any, error) {
	sum := sha256.Sum256(raw)
	if v, ok := parsed.Load(sum); ok {
		return v.(map[string]any), nil
	}
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	keepParsed(sum, v)
	return v, nil
}

// What clients send is kept under its digest by a helper of a helper.
func tools(w http.ResponseWriter, r *http.Request) {
	if raw, err := io.ReadAll(r.Body); err == nil {
		parse(raw)
	}
}

func toolRoutes() { http.HandleFunc("/tools", tools) }

// A helper asks whether it was there.
type replays struct {
	mu    sync.Mutex
	keys  map[string]struct{}
	names map[string]struct{}
}

func (p *replays) has(key string) bool {
	_, ok := p.keys[key]
	return ok
}

func (p *replays) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.has(key) {
		w.WriteHeader(http.StatusConflict)
		return
	}
	p.keys[key] = struct{}{} // want `the field keys only grows`
	p.names["replay"] = struct{}{}
}
