package a

import "sync"

type phone struct {
	mu        sync.Mutex
	connected bool
	line      string
}

func (p *phone) hangUp(skipLock bool) {
	if !skipLock {
		p.mu.Lock()
		defer p.mu.Unlock()
	}
	p.connected = false
}

// call has the lock, and says so.
func (p *phone) call(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if line == "" {
		p.hangUp(true)
	}
	p.line = line
}

// redial has it too, and says that it has not.
func (p *phone) redial() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hangUp(false) // want `taken while the same goroutine holds it already`
}

// relay does not say which.
func (p *phone) relay(skipLock bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hangUp(skipLock) // want `taken while the same goroutine holds it already`
}
