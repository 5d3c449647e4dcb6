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
