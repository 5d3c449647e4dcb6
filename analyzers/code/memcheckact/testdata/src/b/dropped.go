package b

import (
	"sync"
	"sync/atomic"
)

type stage struct{ users atomic.Int64 }

// Stages count outside of the lock, and look again in it.
type Stages struct {
	mu  sync.RWMutex
	all map[string]*stage
	// idle are those that wait for their end.
	idle map[string]bool
}

func (s *Stages) enter(name string) *stage {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.all[name]
	if !ok {
		x = &stage{}
		s.all[name] = x
	}
	x.users.Add(1)
	return x
}

func (s *Stages) leave(name string, x *stage) {
	if x.users.Add(-1) > 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.users.Load() == 0 {
		delete(s.all, name)
	}
}

// rest deletes from another map than the one that the count is an entry of.
func (s *Stages) rest(name string, x *stage) {
	if x.users.Add(-1) > 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.idle, name)
}

// out counts under the lock under which it deletes.
func (s *Stages) out(name string, x *stage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.users.Add(-1) == 0 {
		delete(s.all, name)
	}
}
