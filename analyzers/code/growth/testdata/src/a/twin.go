package a

import (
	"net/http"
	"sync"
	"time"
)

type buckets struct {
	mu      sync.Mutex
	data    map[string][]byte
	expiry  map[int64][]string
	order   []string
	byMail  map[string]string
	ring    map[int64][]string
	bounded map[string]int
	seen    []string
}

// What a bucket notes of entries outlives them.
func (b *buckets) Set(key string, value []byte, ttl time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data[key] = value
	at := time.Now().Add(ttl).Unix()
	b.expiry[at] = append(b.expiry[at], key) // want `the field expiry only grows: callers of this package add to it`
	b.order = append(b.order, key)           // want `the field order only grows: callers of this package add to it`
	slot := at % 60
	if slot == 0 {
		b.ring[slot] = nil
	}
	b.ring[slot] = append(b.ring[slot], key)
}

// The index keeps the address of a user who is gone.
func (b *buckets) Join(userID, email string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data[userID] = []byte(email)
	b.byMail[email] = userID // want `the field byMail only grows: callers of this package add to it`
}

func (b *buckets) Leave(userID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.data, userID)
}

// Nothing is taken out: what is too much is refused, here and there.
func (b *buckets) Admit(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.bounded) >= 100 {
		return
	}
	b.bounded[key] = 1
	b.seen = append(b.seen, key)
}

type frontDesk struct {
	sessions sync.Map
	levels   sync.Map
	mu       sync.Mutex
	clients  map[string]*http.Request
	themes   map[string]string
	cursors  map[string]int
	moods    map[string]string
	products map[string]string
	prices   map[string]string
	kept     map[string]string
	icons    map[string][]byte
	notes    map[string]string
}

func (d *frontDesk) connect(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("Session-Id")
	d.sessions.Store(id, r.RemoteAddr)
	defer d.sessions.Delete(id)
	<-r.Context().Done()
}

// The level of a session that is over stays.
func (d *frontDesk) level(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("Session-Id")
	if _, ok := d.sessions.Load(id); !ok {
		return
	}
	d.levels.Store(id, r.FormValue("level")) // want `the field levels only grows: HTTP handlers add to it`
}

func (d *frontDesk) enter(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clients[r.FormValue("id")] = r
}

func (d *frontDesk) leave(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.clients, r.FormValue("id"))
	delete(d.notes, r.FormValue("id"))
}

func (d *frontDesk) find(id string) (*http.Request, bool) {
	c, ok := d.clients[id]
	return c, ok
}

func (d *frontDesk) has(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.clients[id]
	return ok
}

// A helper asks whether the client is there.
func (d *frontDesk) theme(w http.ResponseWriter, r *http.Request) {
	id := r.FormValue("id")
	if !d.has(id) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.themes[id] = r.FormValue("theme") // want `the field themes only grows: HTTP handlers add to it`
}

// The store is in a helper, and the question before it.
func (d *frontDesk) mood(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.find(r.FormValue("id")); ok {
		d.setMood(r.FormValue("id"), r.FormValue("mood"))
	}
}

func (d *frontDesk) setMood(id, mood string) {
	d.moods[id] = mood // want `the field moods only grows: HTTP handlers add to it`
}

// The note goes with the client.
func (d *frontDesk) note(w http.ResponseWriter, r *http.Request) {
	id := r.FormValue("id")
	if d.has(id) {
		d.notes[id] = r.FormValue("note")
	}
}

type visitorOf struct{ id, account string }

type foyer struct {
	mu       sync.Mutex
	sessions map[string]*visitorOf
	cursors  map[string]string
	balances map[string]string
}

func (h *foyer) Enter(token string, g *visitorOf) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[token] = g
}

func (h *foyer) Leave(token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, token)
}

// A cursor is kept for each session, and a balance for each account.
func (h *foyer) Move(token, to string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.sessions[token]
	h.cursors[g.id] = to // want `the field cursors only grows: callers of this package add to it`
	h.balances[g.account] = to
}

var fixedSites = map[string]bool{"a": true, "b": true}

// There are as many icons as sites that the program knows.
func (d *frontDesk) icon(w http.ResponseWriter, r *http.Request) {
	if site := r.PathValue("site"); fixedSites[site] {
		w.Write(d.iconOf(site))
	}
}

func (d *frontDesk) iconOf(site string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if data, ok := d.icons[site]; ok {
		return data
	}
	data := painted(site)
	d.icons[site] = data
	return data
}

func painted(site string) []byte { return []byte(site) }

func deskTwinRoutes() {
	d := &frontDesk{}
	http.HandleFunc("/connect", d.connect)
	http.HandleFunc("/level", d.level)
	http.HandleFunc("/enter", d.enter)
	http.HandleFunc("/leave", d.leave)
	http.HandleFunc("/theme", d.theme)
	http.HandleFunc("/mood", d.mood)
	http.HandleFunc("/note", d.note)
	http.HandleFunc("/icon", d.icon)
}
