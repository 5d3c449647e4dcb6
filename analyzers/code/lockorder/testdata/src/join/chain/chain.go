// Package chain knows nothing of who is told.
package chain

import "sync"

type Config struct{ OnSwitch func(id string) bool }

type Selector struct {
	mu   sync.Mutex
	cfg  Config
	best string
}

func (s *Selector) SetOnSwitch(f func(string) bool) { s.cfg.OnSwitch = f }

func (s *Selector) Tip(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cfg.OnSwitch(id) {
		s.best = id
	}
}
