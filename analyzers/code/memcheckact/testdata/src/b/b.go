// Package b has the near misses: nothing here is a finding.
package b

import (
	"strings"
	"sync"
	"sync/atomic"
)

type item struct{ n int }

type Table struct {
	mu sync.RWMutex
	m  map[string]*item
	n  int
}

func (t *Table) Whole(k string) *item {
	t.mu.Lock()
	defer t.mu.Unlock()
	it := t.m[k]
	if it == nil {
		it = &item{}
		t.m[k] = it
	}
	return it
}

func (t *Table) Twice(k string) *item {
	t.mu.RLock()
	it := t.m[k]
	t.mu.RUnlock()
	if it != nil {
		return it
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if it := t.m[k]; it != nil {
		return it
	}
	it = &item{}
	t.m[k] = it
	return it
}

func (t *Table) getLocked(k string) *item { return t.m[k] }

func (t *Table) put(k string, it *item) { t.m[k] = it }

func (t *Table) Helpers(k string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.getLocked(k) == nil {
		t.put(k, &item{})
	}
}

func (t *Table) upsert(k string) {
	if t.getLocked(k) == nil {
		t.put(k, &item{})
	}
}

func (t *Table) Upsert(k string) {
	t.mu.Lock()
	t.upsert(k)
	t.mu.Unlock()
}

type Map struct{ m sync.Map }

func (m *Map) Get(k string) *item {
	if v, ok := m.m.Load(k); ok {
		return v.(*item)
	}
	v, _ := m.m.LoadOrStore(k, &item{})
	return v.(*item)
}

func (m *Map) Forget(k string) {
	if _, ok := m.m.Load(k); ok {
		m.m.Delete(k)
	}
}

func load(k string) (string, error) { return strings.ToUpper(k), nil }

func (m *Map) Cached(k string) string {
	if v, ok := m.m.Load(k); ok {
		return v.(string)
	}
	v, err := load(k)
	if err != nil {
		return ""
	}
	m.m.Store(k, v)
	return v
}

type Flag struct {
	once sync.Once
	done atomic.Bool
	n    atomic.Int64
}

func (f *Flag) Do(g func()) {
	if f.done.CompareAndSwap(false, true) {
		g()
	}
}

func (f *Flag) Set(on bool) { f.done.Store(on) }

func (f *Flag) Add() { f.n.Add(1) }

type plain struct{ m map[string]int }

func (p *plain) Count(k string) {
	if _, ok := p.m[k]; !ok {
		p.m[k] = 0
	}
	p.m[k]++
}

func New() *Table {
	t := &Table{m: map[string]*item{}}
	if t.m["a"] == nil {
		t.mu.Lock()
		t.m["a"] = &item{}
		t.mu.Unlock()
	}
	return t
}

// Rotator takes turns: each turn reads and writes under the lock.
type Rotator struct {
	mu   sync.Mutex
	urls []*item
	i    int
}

func (r *Rotator) Next() *item {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.urls[r.i]
	r.i = (r.i + 1) % len(r.urls)
	return u
}

func (r *Rotator) Two() *item {
	if u := r.Next(); u != nil {
		return u
	}
	return r.Next()
}

// Registry is filled from what an interface answers.
type Source interface {
	Create(k string) (string, error)
}

type Registry struct {
	mu  sync.RWMutex
	m   map[string]string
	src Source
}

func (r *Registry) ID(k string) (string, error) {
	r.mu.RLock()
	id, ok := r.m[k]
	r.mu.RUnlock()
	if ok {
		return id, nil
	}
	id, err := r.src.Create(k)
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	r.m[k] = id
	r.mu.Unlock()
	return id, nil
}

func (t *Table) Found(k string) (*item, bool) {
	t.mu.RLock()
	it, found := t.m[k]
	t.mu.RUnlock()
	if found {
		return it, true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if it, found := t.m[k]; found {
		return it, true
	}
	t.m[k] = &item{}
	return t.m[k], false
}

// Marked sets a flag, and the check decides on nothing else.
func (f *Flag) Marked() {
	if !f.done.Load() {
		f.done.Store(true)
	}
}

// Config has one writer, which may read without the lock.
type Config struct {
	mu  sync.Mutex
	cur *item
}

func (c *Config) Update(next *item) {
	if c.cur == nil || c.cur.n != next.n {
		println("changed")
	}
	c.mu.Lock()
	c.cur = next
	c.mu.Unlock()
}

type shape struct{ fields []string }

func shapeOf(kind string) shape { return shape{[]string{kind}} }

type shapes struct {
	mu sync.RWMutex
	m  map[string]shape
}

// What is stored is made of the key, and copied.
func (s *shapes) of(kind string) shape {
	s.mu.RLock()
	v, ok := s.m[kind]
	s.mu.RUnlock()
	if !ok {
		v = shapeOf(kind)
		s.mu.Lock()
		s.m[kind] = v
		s.mu.Unlock()
	}
	return v
}

type pipeline struct{ failed, stopped atomic.Bool }

// Flags, and nothing else.
func (p *pipeline) Stop(failed bool) {
	if p.stopped.Load() {
		return
	}
	if failed {
		p.failed.Store(true)
	}
	p.stopped.Store(true)
}
