package b

import (
	"context"
	"strings"
	"sync"
	"time"
)

type tenure struct {
	holder string
	until  time.Time
	dead   bool
}

// Porter looks again before it throws away.
type Porter struct {
	mu      sync.RWMutex
	tenures map[string]*tenure
	names   map[string]*tenure
}

func (d *Porter) Renew(room, holder string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tenures[room] = &tenure{holder: holder, until: time.Now().Add(time.Hour)}
}

func (d *Porter) Tidy(now time.Time) {
	var rooms []string
	d.mu.RLock()
	for room, l := range d.tenures {
		if l.until.Before(now) {
			rooms = append(rooms, room)
		}
	}
	d.mu.RUnlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, room := range rooms {
		if l, ok := d.tenures[room]; ok && l.until.Before(now) {
			delete(d.tenures, room)
		}
	}
}

// Close deletes all that there was, and judges nothing.
func (d *Porter) Close() {
	var rooms []string
	d.mu.RLock()
	for room := range d.tenures {
		rooms = append(rooms, room)
	}
	d.mu.RUnlock()
	for _, room := range rooms {
		d.mu.Lock()
		delete(d.tenures, room)
		d.mu.Unlock()
	}
}

// CloseFloor goes by the key, which stays what it is.
func (d *Porter) CloseFloor(floor string) {
	var rooms []string
	d.mu.RLock()
	for room := range d.tenures {
		if strings.HasPrefix(room, floor) {
			rooms = append(rooms, room)
		}
	}
	d.mu.RUnlock()
	d.mu.Lock()
	for _, room := range rooms {
		delete(d.tenures, room)
	}
	d.mu.Unlock()
}

// Bury marks what it has chosen, which everybody sees who finds it.
func (d *Porter) Bury(now time.Time) {
	var rooms []string
	d.mu.Lock()
	for room, l := range d.tenures {
		if l.until.Before(now) {
			l.dead = true
			rooms = append(rooms, room)
		}
	}
	d.mu.Unlock()
	d.mu.Lock()
	for _, room := range rooms {
		delete(d.tenures, room)
	}
	d.mu.Unlock()
}

// Name makes an entry where there is none, and never another one.
func (d *Porter) Name(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.names[name]; !ok {
		d.names[name] = &tenure{holder: name, until: time.Now().Add(time.Hour)}
	}
}

func (d *Porter) Forget(now time.Time) {
	var over []string
	d.mu.RLock()
	for name, l := range d.names {
		if l.until.Before(now) {
			over = append(over, name)
		}
	}
	d.mu.RUnlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range over {
		delete(d.names, name)
	}
}

// Menus look a second time, in the map.
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
	if l = p.plan[name]; l == nil {
		l = p.read(name)
		p.plan[name] = l
	}
	return l
}

// Note keeps what the source says, whichever caller comes last.
func (p *Menus) Note(name string) *tenure {
	p.mu.RLock()
	l := p.plan[name]
	p.mu.RUnlock()
	if l != nil {
		return l
	}
	l = p.read(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	if l != nil {
		p.plan[name] = l
	}
	return l
}

// Trips look and enter under one lock.
type Trips struct {
	mu   sync.Mutex
	ends map[int]context.CancelFunc
}

func (r *Trips) enter(id int, end context.CancelFunc) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, running := r.ends[id]; running {
		return false
	}
	r.ends[id] = end
	return true
}

func (r *Trips) Start(ctx context.Context, id int, run func(context.Context)) {
	ctx, end := context.WithTimeout(ctx, time.Minute)
	if !r.enter(id, end) {
		end()
		return
	}
	go run(ctx)
}

// Berths are looked at one by one, and one is given away under the same lock.
type Berths struct {
	mu    sync.Mutex
	taken map[int]bool
}

func (s *Berths) take(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[n] {
		return false
	}
	s.taken[n] = true
	return true
}

func (s *Berths) First(n int) int {
	for i := range n {
		if s.take(i) {
			return i
		}
	}
	return -1
}

// Next frees the seat after the one that it asked for.
func (s *Berths) Next(n int) {
	for i := range n {
		s.mu.Lock()
		free := !s.taken[i]
		s.mu.Unlock()
		if free {
			continue
		}
		s.mu.Lock()
		s.taken[i+1] = true
		s.mu.Unlock()
	}
}
