package a

import "sync"

type shelf struct {
	mu  sync.Mutex
	m   map[string][]byte
	max int
}

func (s *shelf) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.m) >= s.max
}

// A function compares the size with the limit, and the lock is free again.
func (s *shelf) Put(k string, v []byte) bool {
	if s.full() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[k] = v // want `check then act`
	return true
}
