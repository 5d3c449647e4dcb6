package a

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"a/store"
)

type item struct{ n int }

func work() {}

// sync.Map, both ends in one function.
type Lazy struct{ m sync.Map }

func (l *Lazy) Get(k string) *item {
	if v, ok := l.m.Load(k); ok {
		return v.(*item)
	}
	it := &item{}
	l.m.Store(k, it) // want `check then act: Lazy.m has no entry`
	return it
}

func (l *Lazy) Add(k string) {
	n := 0
	if v, ok := l.m.Load(k); ok {
		n = v.(int)
	}
	l.m.Store(k, n+1) // want `lost update: Lazy.m`
}

func (l *Lazy) Take(k string) *item {
	v, ok := l.m.Load(k)
	if !ok {
		return nil
	}
	l.m.Delete(k) // want `taken twice: Lazy.m`
	return v.(*item)
}

// Atomics.
type Once struct {
	done  atomic.Bool
	count atomic.Int64
	old   int32
}

func (o *Once) Do(f func()) {
	if o.done.Load() {
		return
	}
	f()
	o.done.Store(true) // want `check then act: Once.done decides`
}

func (o *Once) Count() { o.count.Store(o.count.Load() + 1) } // want `lost update: Once.count`

func (o *Once) Function() {
	if atomic.LoadInt32(&o.old) == 0 {
		work()
		atomic.StoreInt32(&o.old, 1) // want `check then act: Once.old decides`
	}
}

// Two critical sections.
type Table struct {
	mu   sync.RWMutex
	m    map[string]*item
	n    int
	last time.Time
}

func (t *Table) Split(k string) *item {
	t.mu.RLock()
	it := t.m[k]
	t.mu.RUnlock()
	if it == nil {
		it = &item{}
		t.mu.Lock()
		t.m[k] = it // want `check then act: Table.m has no entry`
		t.mu.Unlock()
	}
	return it
}

func (t *Table) get() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.n
}

func (t *Table) set(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n = n
}

func (t *Table) Incr() { t.set(t.get() + 1) } // want `lost update: Table.n`

func (t *Table) Pace() {
	t.mu.Lock()
	last := t.last
	t.mu.Unlock()
	if d := time.Since(last); d < time.Second {
		time.Sleep(time.Second - d)
		t.logged()
	}
	t.mu.Lock()
	t.last = time.Now() // want `check then act: Table.last decides`
	t.mu.Unlock()
}

func (t *Table) logged() { _ = t.m }

func (t *Table) Full(k string) bool {
	t.mu.RLock()
	full := len(t.m) >= 10
	t.mu.RUnlock()
	if full {
		return false
	}
	t.mu.Lock()
	t.m[k] = &item{} // want `check then act: Table.m decides`
	t.mu.Unlock()
	return true
}

func (t *Table) Outside(k string) {
	if t.m[k] == nil {
		t.mu.Lock()
		t.m[k] = &item{} // want `check then act: Table.m has no entry`
		t.mu.Unlock()
	}
}

// A cache of another package that locks each call.
type Counters struct{ c *store.Cache[int] }

func (c *Counters) Incr(k string) {
	v, _ := c.c.Get(k)
	c.c.Set(k, v+1) // want `lost update: Cache.m`
}

type Members struct {
	mu  sync.Mutex
	ids []string
}

func (m *Members) has(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.ids, id)
}

func (m *Members) add(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids = append(m.ids, id)
}

func (m *Members) Join(id string) {
	if !m.has(id) {
		m.add(id) // want `check then act: Members.ids decides`
	}
}

type Bank struct {
	mu  sync.RWMutex
	bal map[string]int
}

func (b *Bank) get(k string) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.bal[k]
}

func (b *Bank) sub(k string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bal[k] -= n
}

func (b *Bank) Withdraw(k string, n int) bool {
	if b.get(k) < n {
		return false
	}
	b.sub(k, n) // want `check then act: Bank.bal`
	return true
}

type Set struct {
	v atomic.Pointer[map[string]bool]
}

func (s *Set) Add(k string) {
	m := map[string]bool{k: true}
	for k := range *s.v.Load() {
		m[k] = true
	}
	s.v.Store(&m) // want `lost update: Set.v`
}

type single struct{ n int }

var (
	onlyMu sync.Mutex
	only   *single
)

func Only() *single {
	if only == nil {
		onlyMu.Lock()
		only = &single{} // want `check then act: only decides`
		onlyMu.Unlock()
	}
	return only
}
