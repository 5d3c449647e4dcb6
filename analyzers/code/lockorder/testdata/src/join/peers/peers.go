// Package peers knows nothing of who selects.
package peers

import "sync"

type Selector interface{ Tip(id string) }

type State struct {
	mu     sync.Mutex
	sel    Selector
	active string
}

func New(s Selector) *State { return &State{sel: s} }

func (s *State) Header(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sel.Tip(id)
}

func (s *State) SetActive(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active = id
	return true
}

// Follow tells the selector without the lock.
func (s *State) Follow(id string) { s.sel.Tip(id) }
