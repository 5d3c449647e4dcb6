package expiry // want package:"orders of locks"

import (
	"sync"
	"time"
)

type item struct {
	timer *time.Timer
	gone  func()
}

type Table struct {
	mu    sync.Mutex
	items map[string]*item
}

// Keep runs gone when the time is over; the timer's function uses it too.
func (t *Table) Keep(key string, d time.Duration, gone func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	it := &item{gone: gone}
	it.timer = time.AfterFunc(d, func() {
		t.mu.Lock()
		delete(t.items, key)
		t.mu.Unlock()
		gone()
	})
	t.items[key] = it
}

// Flush calls what it kept under the lock.
func (t *Table) Flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, it := range t.items {
		it.timer.Stop()
		delete(t.items, key)
		it.gone()
	}
}

type Queue struct {
	mu    sync.Mutex
	items []func()
}

func (q *Queue) Keep(d time.Duration, gone func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	time.AfterFunc(d, func() { gone() })
	q.items = append(q.items, gone)
}

// Flush calls what it kept when it has given the lock back.
func (q *Queue) Flush() {
	q.mu.Lock()
	items := q.items
	q.items = nil
	q.mu.Unlock()
	for _, gone := range items {
		gone()
	}
}
