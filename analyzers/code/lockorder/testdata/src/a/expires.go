package a

import (
	"a/expiry"
	"sync"
	"time"
)

type sessions struct {
	mu    sync.Mutex
	alive map[string]bool
	table *expiry.Table
	queue *expiry.Queue
	late  sync.Mutex
}

func (s *sessions) Leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table.Keep(id, time.Minute, func() { // want `deadlock: expiry.Table.mu is taken while a.sessions.mu is held, and elsewhere it is the other way round`
		s.mu.Lock()
		delete(s.alive, id)
		s.mu.Unlock()
	})
}

func (s *sessions) Part(id string) {
	s.late.Lock()
	defer s.late.Unlock()
	s.queue.Keep(time.Minute, func() {
		s.late.Lock()
		delete(s.alive, id)
		s.late.Unlock()
	})
}
