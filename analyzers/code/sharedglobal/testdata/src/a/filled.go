package a

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"sync"
)

type form struct{ Name string }

// Greeter keeps what a request brought in itself.
type Greeter struct {
	in form
	db *sql.DB
	mu sync.Mutex
	n  int
}

func (g *Greeter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := json.NewDecoder(r.Body).Decode(&g.in); err != nil { // want `what a decoder fills is changed by HTTP handler`
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Write([]byte(g.in.Name))
}

func (g *Greeter) Count(w http.ResponseWriter, r *http.Request) {
	g.db.QueryRowContext(r.Context(), `SELECT count(*) FROM users`).Scan(&g.n) // want `what a decoder fills`
}

func (g *Greeter) Locked(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.db.QueryRowContext(r.Context(), `SELECT count(*) FROM users`).Scan(&g.n)
}

// outer has one form for all requests.
func outer() http.HandlerFunc {
	var in form
	return func(w http.ResponseWriter, r *http.Request) {
		json.NewDecoder(r.Body).Decode(&in) // want `what a decoder fills`
	}
}

func inner() http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in form
		json.NewDecoder(r.Body).Decode(&in)
		func() { json.Unmarshal(nil, &in) }()
	}
}

// Views is copied for each call, and its map is not.
type Views struct {
	n map[string]int
}

func (v Views) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.n[r.URL.Path]++ // want `Views.n is shared by all requests`
}

var _, _ = outer, inner

// A lock for reading lets the others in.
type tally struct {
	mu   sync.RWMutex
	hits map[string]int
	each map[string]*counted
}

type counted struct {
	mu sync.Mutex
	n  int
}

func (t *tally) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	t.hits[r.URL.Path]++ // want `tally.hits is shared by all requests`
	if c := t.each[r.URL.Path]; c != nil {
		c.mu.Lock()
		c.n++
		c.mu.Unlock()
	}
}
