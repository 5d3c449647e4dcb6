package a

import (
	"errors"
	"os"
	"sync"
	"time"
)

var errRuns = errors.New("it runs already")

// A second one is refused, whatever it is made of.
type once struct {
	mu   sync.Mutex
	file *os.File
	path string
	text []byte
}

func (o *once) Begin() error {
	o.mu.Lock()
	if o.text != nil {
		o.mu.Unlock()
		return errRuns
	}
	o.mu.Unlock()
	text, err := os.ReadFile(o.path)
	if err != nil {
		return err
	}
	o.mu.Lock()
	o.text = text // want `once.text decides, and is set later`
	o.mu.Unlock()
	return nil
}

// Text gives everybody the same.
func (o *once) Text() ([]byte, error) {
	o.mu.Lock()
	text := o.text
	o.mu.Unlock()
	if text != nil {
		return text, nil
	}
	text, err := os.ReadFile(o.path)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.text = text
	o.mu.Unlock()
	return text, nil
}

// board has entries with a state.
type board struct {
	mu sync.Mutex
	m  map[string]string
}

func (b *board) get(id string) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	v, ok := b.m[id]
	return v, ok
}

func (b *board) replace(id, state string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.m[id]; !ok {
		return false
	}
	b.m[id] = state
	return true
}

func (b *board) swap(id, old, state string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.m[id] != old {
		return false
	}
	b.m[id] = state
	return true
}

// Claim looks again whether there is an entry, and not in which state.
func (b *board) Claim(id string) bool {
	if state, ok := b.get(id); !ok || state != "waiting" {
		return false
	}
	return b.replace(id, "running") // want `board.m`
}

// Swap looks again at the state.
func (b *board) Swap(id string) bool {
	if state, ok := b.get(id); !ok || state != "waiting" {
		return false
	}
	return b.swap(id, "waiting", "running")
}

type addresses interface{ Allocate() (string, error) }

// lent has one address for each tenant, which somebody has to give back.
type lent struct {
	board
	from addresses
}

func (l *lent) For(tenant string) (string, error) {
	if addr, ok := l.get(tenant); ok {
		return addr, nil
	}
	addr, err := l.from.Allocate()
	if err != nil {
		return "", err
	}
	l.set(tenant, addr) // want `has no entry, and one is stored`
	return addr, nil
}

func (b *board) set(id, v string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.m[id] = v
}

type names interface {
	Resolve(id string) (string, error)
}

// Name asks for what everybody is told.
func (b *board) Name(n names, id string) (string, error) {
	if name, ok := b.get(id); ok {
		return name, nil
	}
	name, err := n.Resolve(id)
	if err != nil {
		return "", err
	}
	b.set(id, name)
	return name, nil
}

// renewal reads a file again when its time is over, whoever else does.
type renewal struct {
	mu    sync.RWMutex
	text  string
	until time.Time
	path  string
	now   func() time.Time
}

func (r *renewal) renew() {
	r.mu.RLock()
	until := r.until
	r.mu.RUnlock()
	if !r.now().After(until) {
		return
	}
	text, err := os.ReadFile(r.path)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = string(text)
	r.until = r.now().Add(time.Minute)
}
