package a

import "sync"

type row struct{ ID, Name string }

type rows interface{ Find(id string) (row, error) }

// Room is a thing with a goroutine of its own.
type Room struct {
	name string
	in   chan string
}

func (r *Room) run() {
	for range r.in {
	}
}

type Hub struct {
	mu    sync.RWMutex
	rooms map[string]*Room
	db    rows
}

// Room makes the room of a row: a second one has the same row, and other guests.
func (h *Hub) Room(id string) (*Room, error) {
	h.mu.RLock()
	r, ok := h.rooms[id]
	h.mu.RUnlock()
	if ok {
		return r, nil
	}
	found, err := h.db.Find(id)
	if err != nil {
		return nil, err
	}
	return h.open(found.ID, found.Name), nil // want `check then act: Hub.rooms has no entry`
}

func (h *Hub) open(id, name string) *Room {
	r := &Room{name: name, in: make(chan string)}
	h.mu.Lock()
	h.rooms[id] = r
	h.mu.Unlock()
	go r.run()
	return r
}

type Site struct {
	mu    sync.Mutex
	empty bool
	users map[string]bool
	log   map[string]string
	make  func(name string) error
}

// Enter lets the first who comes make the administrator.
func (s *Site) Enter(name string) error {
	s.mu.Lock()
	empty := s.empty
	s.mu.Unlock()
	if empty {
		return s.first(name) // want `check then act: Site.empty decides`
	}
	return nil
}

func (s *Site) first(name string) error {
	for _, k := range []string{"a", "b", "c"} {
		println(s.log[k], s.log[k+name], s.users[name], s.users[k])
	}
	if err := s.make(name); err != nil {
		return err
	}
	s.mu.Lock()
	s.empty = false
	s.mu.Unlock()
	return nil
}
