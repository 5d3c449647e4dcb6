package a

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"sync"
)

type signIn struct {
	mu       sync.Mutex
	sessions map[string]string
	products map[string]string
	codes    map[string]string
}

func newID() string {
	b := make([]byte, 16)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// Every visit has a name of its own, and nobody forgets one.
func (s *signIn) login(w http.ResponseWriter, r *http.Request) {
	id := newID()
	s.mu.Lock()
	s.sessions[id] = r.FormValue("name") // want `the field sessions only grows: HTTP handlers add to it`
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: "sid", Value: id})
}

// A store of data keeps what it is given.
func (s *signIn) product(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.products[newID()] = r.FormValue("name")
}

// Issue is called by whoever imports this, once for each code.
func (s *signIn) Issue(user string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := rand.Text()
	s.codes[token] = user
	return token
}

// Redeem takes it out again.
func (s *signIn) Redeem(token string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	user := s.codes[token]
	delete(s.codes, token)
	return user
}

func signInRoutes() {
	s := &signIn{sessions: map[string]string{}, products: map[string]string{}, codes: map[string]string{}}
	http.HandleFunc("/login", s.login)
	http.HandleFunc("/product", s.product)
}
