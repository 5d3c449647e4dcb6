package a

import (
	"sync"
	"time"
)

// A send under a lock that another case of the receiver's select takes.
type monitor struct {
	mu      sync.Mutex
	reset   chan time.Duration
	room    chan time.Duration
	done    chan struct{}
	failing bool
}

func newMonitor() *monitor {
	m := &monitor{reset: make(chan time.Duration), room: make(chan time.Duration, 1), done: make(chan struct{})}
	go m.loop(time.Second)
	return m
}

func (m *monitor) loop(d time.Duration) {
	t := time.NewTimer(d)
	for {
		select {
		case d = <-m.reset:
			t.Reset(d)
		case d = <-m.room:
			t.Reset(d)
		case <-t.C:
			m.fail()
		case <-m.done:
			return
		}
	}
}

func (m *monitor) fail() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failing = true
}

func (m *monitor) update(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failing = false
	m.reset <- d // want `a value is sent while a.monitor.mu is held`
}

func (m *monitor) updateWithRoom(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.room <- d
}

func (m *monitor) updateAfter(d time.Duration) {
	m.mu.Lock()
	m.failing = false
	m.mu.Unlock()
	m.reset <- d
}

func (m *monitor) offer(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case m.reset <- d:
	default:
	}
}
