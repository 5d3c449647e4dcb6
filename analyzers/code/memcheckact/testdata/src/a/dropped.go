package a

import (
	"sync"
	"sync/atomic"
)

// Stages are thrown away by who leaves last, as a count says that others change
// meanwhile.
type stage struct {
	users atomic.Int64
	mu    sync.Mutex
	seats int
}

type Stages struct {
	mu  sync.RWMutex
	all map[string]*stage
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
	x.seats++
	return x
}

func (s *Stages) leave(name string, x *stage) {
	if x.users.Add(-1) > 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, name) // want `deleted as empty: an entry of Stages.all`
}

func (s *Stages) With(name string, f func()) {
	x := s.enter(name)
	defer s.leave(name, x)
	f()
}

// used is a token that is counted where it is found, and set where it is not.
type used struct{ tries int }

var (
	usedMu sync.Mutex
	usedAt = map[string]used{}
)

func seen(token string) (int, bool) {
	usedMu.Lock()
	defer usedMu.Unlock()
	u, ok := usedAt[token]
	if !ok {
		return 0, false
	}
	u.tries++
	if u.tries > 3 {
		delete(usedAt, token)
		return 0, false
	}
	usedAt[token] = u
	return u.tries, true
}

func use(token string) {
	usedMu.Lock()
	defer usedMu.Unlock()
	usedAt[token] = used{}
}

func Redeem(token string) bool {
	if _, ok := seen(token); ok {
		return false
	}
	use(token) // want `check then act: usedAt has no entry`
	return true
}
