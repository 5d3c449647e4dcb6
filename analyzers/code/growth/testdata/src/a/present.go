package a

import (
	"net/http"
	"regexp"
	"sync"
	"time"
)

type link struct{ mu sync.Mutex }

type hubs struct {
	mu       sync.Mutex
	id       int
	states   map[*link]string
	replies  map[int]chan string
	online   map[string]bool
	features map[string]bool
	users    map[string]string
	last     map[string]time.Time
	compiled map[string]*regexp.Regexp
	kept     sync.Map
}

// A state is set where there is one: nothing is added.
func (h *hubs) Change(l *link, state string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.states[l]; ok {
		h.states[l] = state
	}
}

func (h *hubs) Refresh(clientID string) {
	if _, ok := h.kept.Load(clientID); !ok {
		return
	}
	h.kept.Store(clientID, time.Now())
}

// What has been answered is set to nil, and its key stays.
func (h *hubs) Call(send func(int)) string {
	h.mu.Lock()
	h.id++
	ch := make(chan string, 1)
	h.replies[h.id] = ch // want `the field replies only grows: a key stays`
	send(h.id)
	h.mu.Unlock()
	return <-ch
}

func (h *hubs) answer(id int, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ch := h.replies[id]; ch != nil {
		ch <- text
		h.replies[id] = nil
	}
}

// Answer is called by whoever reads the other side.
var Answer = (*hubs).answer

// Who leaves is no longer online, and stays in the map.
func (h *hubs) Join(user string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.online[user] = true // want `the field online only grows: a key stays`
}

func (h *hubs) Leave(user string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.online[user] = false
}

// There are as many features as the program has.
func (h *hubs) Enable(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.features[id] = true
}

func (h *hubs) Disable(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.features[id] = false
}

// Only users that are known get a time, and nobody adds users.
func (h *hubs) seen(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("user")
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.users[name]; !ok {
		http.Error(w, "who is that?", http.StatusForbidden)
		return
	}
	h.last[name] = time.Now()
}

// The program names its patterns; what is compiled does not change.
func (h *hubs) pattern(name string) *regexp.Regexp {
	h.mu.Lock()
	defer h.mu.Unlock()
	if re, ok := h.compiled[name]; ok {
		return re
	}
	re := regexp.MustCompile(name)
	h.compiled[name] = re
	return re
}

// Parse reads a line.
func (h *hubs) Parse(name, line string) bool { return h.pattern(name).MatchString(line) }

func hubRoutes() {
	h := &hubs{}
	http.HandleFunc("/seen", h.seen)
	http.HandleFunc("/parse", func(w http.ResponseWriter, r *http.Request) {
		if !h.Parse("^access", r.FormValue("line")) {
			w.WriteHeader(http.StatusBadRequest)
		}
	})
}
