package b

import "sync"

type row struct{ ID, Name string }

type rows interface{ Find(id string) (row, error) }

// Page is made of a row, and has nothing else: a second one is as good.
type Page struct{ name string }

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
	pages map[string]*Page
	rooms map[string]*Room
	db    rows
}

func (h *Hub) Page(id string) (*Page, error) {
	h.mu.RLock()
	p, ok := h.pages[id]
	h.mu.RUnlock()
	if ok {
		return p, nil
	}
	found, err := h.db.Find(id)
	if err != nil {
		return nil, err
	}
	p = &Page{name: found.Name}
	h.mu.Lock()
	h.pages[found.ID] = p
	h.mu.Unlock()
	return p, nil
}

// Room looks again before it makes one.
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
	h.mu.Lock()
	defer h.mu.Unlock()
	if r, ok := h.rooms[id]; ok {
		return r, nil
	}
	r = &Room{name: found.Name, in: make(chan string)}
	h.rooms[id] = r
	go r.run()
	return r, nil
}

type Site struct {
	mu    sync.Mutex
	empty bool
	log   map[string]string
	make  func(name string) error
}

// Enter holds the lock while the first who comes makes the administrator.
func (s *Site) Enter(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.empty {
		return s.first(name)
	}
	return nil
}

func (s *Site) first(name string) error {
	for _, k := range []string{"a", "b", "c"} {
		println(s.log[k], s.log[k+name])
	}
	if err := s.make(name); err != nil {
		return err
	}
	s.empty = false
	return nil
}

type guest struct{ names map[string]string }

type Guests struct {
	mu    sync.Mutex
	rooms map[string]*guest
}

func (g *Guests) Name(room, id string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rooms[room].names[id]
}

func (g *Guests) Clear(room string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rooms[room].names = map[string]string{}
}

// Empty clears the names of a room where one is known: the question was put to one
// entry, and all of them are replaced.
func (g *Guests) Empty(room, id string) {
	if g.Name(room, id) != "" {
		g.Clear(room)
	}
}
