package a

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

type tried struct{ calls, failed int }

type step struct {
	query string
	next  *step
}

type deskLocks struct{ sync.RWMutex }

type inner struct{ touched map[string]time.Time }

type desks struct {
	deskLocks
	tries  map[string]tried
	trail  *step
	undo   *step
	state  inner
	failed map[string]int
	store  keeper
}

// What is read, changed and stored back adds up for each client.
func (d *desks) attempt(email string) {
	d.Lock()
	defer d.Unlock()
	t := d.tries[email]
	t.calls++
	d.tries[email] = t // want `the field tries only grows`
}

// A list that each request gets a node in front of.
func (d *desks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.attempt(r.FormValue("email"))
	d.Lock()
	d.trail = &step{r.URL.RawQuery, d.trail} // want `the field trail only grows`
	d.undo = &step{r.URL.RawQuery, d.undo}
	d.failed[r.FormValue("email")]++ // want `the field failed only grows`
	d.Unlock()
}

// Back takes a node off again.
func (d *desks) Back(w http.ResponseWriter, r *http.Request) {
	d.Lock()
	defer d.Unlock()
	if d.undo != nil {
		d.undo = d.undo.next
	}
}

// The lock is embedded, and the map in a structure of its own.
func (d *desks) Touch(deviceID string) {
	d.Lock()
	defer d.Unlock()
	d.state.touched[deviceID] = time.Now() // want `the field touched only grows`
}

type keeper interface {
	keep(id string, s *session)
}

type session struct{ user string }

type inMap struct {
	mu sync.Mutex
	m  map[string]*session
}

func (k *inMap) keep(id string, s *session) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.m[id] = s // want `the field m only grows`
}

func (d *desks) signIn(w http.ResponseWriter, r *http.Request) {
	id := rand.Text()
	d.store.keep(id, &session{r.FormValue("user")})
	w.Header().Set("Session-Id", id)
}

func deskRoutes() {
	d := &desks{store: &inMap{m: map[string]*session{}}}
	http.Handle("/desk", d)
	http.HandleFunc("/sign-in", d.signIn)
	http.HandleFunc("/back", d.Back)
}

type record struct{ Key, Value []byte }

type feed interface {
	ReadMessage(context.Context) (record, error)
}

// The map is one of a call that never ends.
func follow(ctx context.Context, t feed) error {
	seen := map[string]bool{}
	for {
		r, err := t.ReadMessage(ctx)
		if err != nil {
			return err
		}
		id := string(r.Key)
		if !seen[id] {
			seen[id] = true // want `this map only grows`
		}
	}
}

type wsConn interface {
	ReadMessage(context.Context) (record, error)
}

// This one ends with its connection.
func converse(ctx context.Context, c wsConn) error {
	seen := map[string]bool{}
	for {
		r, err := c.ReadMessage(ctx)
		if err != nil {
			return err
		}
		id := string(r.Key)
		if !seen[id] {
			seen[id] = true
		}
	}
}

// A page at a time.
func inPages(ctx context.Context, t feed) error {
	for {
		seen := map[string]bool{}
		for range 10 {
			r, err := t.ReadMessage(ctx)
			if err != nil {
				return err
			}
			id := string(r.Key)
			if !seen[id] {
				seen[id] = true
			}
		}
	}
}
