package a

import (
	"context"
	"sync"
	"time"
)

type tenure struct {
	holder string
	until  time.Time
}

// Porter throws away what is over, from a list that it made under another lock.
type Porter struct {
	mu      sync.RWMutex
	tenures map[string]tenure
}

func (d *Porter) Renew(room, holder string) {
	d.mu.Lock()
	d.tenures[room] = tenure{holder: holder, until: time.Now().Add(time.Hour)}
	d.mu.Unlock()
}

func (d *Porter) over() []string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	rooms := make([]string, 0, len(d.tenures))
	for room, l := range d.tenures {
		if time.Now().Before(l.until) {
			continue
		}
		rooms = append(rooms, room)
	}
	return rooms
}

func (d *Porter) Tidy() {
	for _, room := range d.over() {
		d.drop(room) // want `check then act: entries of Porter.tenures are judged and collected`
	}
}

func (d *Porter) drop(room string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.tenures, room)
}

// Menus are looked up a second time, in what was found the first time.
type Menus struct {
	mu   sync.RWMutex
	plan map[string]*tenure
	read func(name string) *tenure
}

func (p *Menus) Of(name string) *tenure {
	p.mu.RLock()
	l := p.plan[name]
	p.mu.RUnlock()
	if l != nil {
		return l
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l == nil {
		l = p.read(name)
		p.plan[name] = l // want `check then act: Menus.plan has no entry`
	}
	return l
}

// Trips hold what ends a run, and forget the first of two.
type Trips struct {
	mu   sync.Mutex
	ends map[int]context.CancelFunc
}

func (r *Trips) Start(ctx context.Context, id int, run func(context.Context)) {
	r.mu.Lock()
	_, running := r.ends[id]
	r.mu.Unlock()
	if running {
		return
	}
	ctx, end := context.WithTimeout(ctx, time.Minute)
	r.mu.Lock()
	r.ends[id] = end // want `check then act: Trips.ends has no entry`
	r.mu.Unlock()
	go run(ctx)
}

// Berths are numbered, and given away one by one.
type Berths struct {
	mu    sync.Mutex
	taken map[int]bool
}

func (s *Berths) free(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.taken[n]
}

func (s *Berths) take(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken[n] = true
}

func (s *Berths) Last(n int) int {
	for n > 0 && !s.free(n) {
		n--
	}
	if n > 0 {
		s.take(n)
	}
	return n
}

func (s *Berths) First(n int) int {
	for i := range n {
		if s.free(i) {
			s.take(i) // want `check then act: Berths.taken has no entry`
			return i
		}
	}
	return -1
}
