package a

import (
	"errors"
	"sync"
)

type session struct {
	mu    sync.Mutex
	state int
	live  bool
}

func (s *session) Up(ok bool) error {
	s.mu.Lock()
	if !ok {
		return errors.New("wrong state") // want `this path returns with a.session.mu held`
	}
	s.state++
	s.mu.Unlock()
	return nil
}

func (s *session) Down(ok bool) error {
	s.mu.Lock()
	if !ok {
		s.mu.Unlock()
		return errors.New("wrong state")
	}
	s.state--
	s.mu.Unlock()
	return nil
}

// Under one flag: no path returns between.
func (s *session) Count() int {
	if s.live {
		s.mu.Lock()
	}
	n := s.state
	if s.live {
		s.mu.Unlock()
	}
	return n
}

type handed struct {
	mu sync.Mutex
	n  int
}

// Claim returns with the lock on purpose; Done gives it back.
func (h *handed) Claim() bool {
	h.mu.Lock()
	if h.n == 0 {
		return true
	}
	h.mu.Unlock()
	return false
}

func (h *handed) Done() { h.mu.Unlock() }
