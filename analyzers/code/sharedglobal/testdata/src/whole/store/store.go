// Package store keeps things in memory.
package store

import "sync"

type Memory struct{ m map[string]string }

func NewMemory() *Memory { return &Memory{m: map[string]string{}} }

func (s *Memory) Put(k, v string) { s.m[k] = v }

type Locked struct {
	mu sync.Mutex
	m  map[string]string
}

func (s *Locked) Put(k, v string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[k] = v
}
