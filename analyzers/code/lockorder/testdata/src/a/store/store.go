package store // want package:"orders of locks"

import "sync"

type Listener interface{ Changed(key string) }

type Store struct {
	mu sync.RWMutex
	m  map[string]string
	ls []Listener
}

func (s *Store) Get(k string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.m[k]
}

// Set calls the listeners of other packages under its lock.
func (s *Store) Set(k, v string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[k] = v
	for _, l := range s.ls {
		l.Changed(k)
	}
}
