package a

import (
	"net/http"
	"sync"
)

// A store behind an interface of the package.
type tickets interface{ open(client string) *ticket }

type ticket struct {
	mu sync.Mutex
	n  int
}

type inMemory struct {
	mu sync.Mutex
	m  map[string]*ticket
}

func (s *inMemory) open(client string) *ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.m[client]
	if t == nil {
		t = &ticket{}
		s.m[client] = t // want `the field m only grows`
	}
	return t
}

type desk struct{ t tickets }

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.t.open(r.RemoteAddr).n++ }
