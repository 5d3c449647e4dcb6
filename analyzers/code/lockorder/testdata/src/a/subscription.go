package a

import "sync"

type hall struct {
	mu   sync.Mutex
	subs []*seat
}

type seat struct{ leave func() }

func (h *hall) Add() *seat {
	s := &seat{}
	s.leave = func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.subs = nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs = append(h.subs, s)
	return s
}

func (h *hall) LeaveAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.subs {
		s.leave() // want `deadlock: a.hall.mu is taken by a callback while its caller holds it already`
	}
}
