package a

import (
	"sync"
	"sync/atomic"
)

// Trial lets one caller try while the others wait.
type Trial struct {
	trials atomic.Int64
	ready  atomic.Bool
}

func (t *Trial) Begin() bool {
	if t.trials.Load() == 0 {
		t.trials.Add(1) // want `is compared with a limit, and then counted`
		return true
	}
	return false
}

// Use takes what is there, when it works.
func (t *Trial) Use(f func() error) error {
	if !t.ready.Load() {
		return nil
	}
	if err := f(); err != nil {
		return err
	}
	t.ready.Store(false) // want `check then act`
	return nil
}

// Deferred looks under the read lock, and does not look again under the other.
type settings interface{ Load(string) (string, error) }

type session struct {
	url string
	n   int
}

func newSession(s settings) (*session, error) {
	url, err := s.Load("url")
	if err != nil {
		return nil, err
	}
	return &session{url: url}, nil
}

type Deferred struct {
	mu      sync.RWMutex
	session *session
}

func (l *Deferred) Get(s settings) (*session, error) {
	l.mu.RLock()
	unlock := l.mu.RUnlock
	defer func() { unlock() }()
	if l.session != nil {
		return l.session, nil
	}
	l.mu.RUnlock()
	l.mu.Lock()
	unlock = l.mu.Unlock
	made, err := newSession(s)
	if err != nil {
		return nil, err
	}
	l.session = made // want `check then act`
	return made, nil
}

// Ports are taken by who has seen that there are some.
type Ports struct {
	mu   sync.Mutex
	free []int
}

func (p *Ports) left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.free)
}

func (p *Ports) take() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return n
}

func (p *Ports) Take() int {
	if p.left() == 0 {
		return 0
	}
	return p.take() // want `check then act`
}
