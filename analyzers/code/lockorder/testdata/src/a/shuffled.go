package a

import (
	"maps"
	"slices"
	"sync"
)

type room struct {
	sync.Mutex
	guests []string
}

type house struct {
	mu    sync.Mutex
	rooms map[string]*room
}

var houses = map[string]*house{}

func (h *house) freeze(f func()) {
	for _, r := range h.rooms {
		r.Lock() // want `deadlock: several locks are taken in the order of a map, which is another one each time`
	}
	f()
	for _, r := range h.rooms {
		r.Unlock()
	}
}

func everywhere(f func()) {
	for name := range houses {
		houses[name].mu.Lock() // want `deadlock: several locks are taken in the order of a map`
		defer houses[name].mu.Unlock()
	}
	f()
}

// One after the other.
func (h *house) count() (n int) {
	for _, r := range h.rooms {
		r.Lock()
		n += len(r.guests)
		r.Unlock()
	}
	return n
}

func (h *house) countSafely() (n int) {
	for _, r := range h.rooms {
		func() {
			r.Lock()
			defer r.Unlock()
			n += len(r.guests)
		}()
	}
	return n
}

func (r *room) leave() {
	defer r.Unlock()
	r.guests = nil
}

func (h *house) clear() {
	for _, r := range h.rooms {
		r.Lock()
		r.leave()
	}
}

// The first that there is.
func (h *house) any() []string {
	for _, r := range h.rooms {
		r.Lock()
		defer r.Unlock()
		return r.guests
	}
	return nil
}

// Whoever takes them all is alone.
func (h *house) freezeAlone(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.rooms {
		r.Lock()
		defer r.Unlock()
	}
	f()
}

func (h *house) freezeInOrder(f func()) {
	for _, name := range slices.Sorted(maps.Keys(h.rooms)) {
		h.rooms[name].Lock()
		defer h.rooms[name].Unlock()
	}
	f()
}

// Nobody else has them yet.
func fresh(names []string) map[string]*room {
	rooms := map[string]*room{}
	for _, n := range names {
		rooms[n] = &room{}
	}
	for _, r := range rooms {
		r.Lock()
	}
	return rooms
}

// Each goroutine has one.
func (h *house) visit(f func(*room)) {
	for _, r := range h.rooms {
		go func() {
			r.Lock()
			defer r.Unlock()
			f(r)
		}()
	}
}

// One that is taken is found again, and not by its turn.
func (h *house) until(full func(*room) bool) *room {
	for _, r := range h.rooms {
		r.Lock()
		if full(r) {
			return r
		}
		r.Unlock()
	}
	return nil
}

// All who call it are alone.
func (h *house) lockRooms() {
	for _, r := range h.rooms {
		r.Lock()
	}
}

func (h *house) unlockRooms() {
	for _, r := range h.rooms {
		r.Unlock()
	}
}

func (h *house) Freeze(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lockRooms()
	defer h.unlockRooms()
	f()
}
