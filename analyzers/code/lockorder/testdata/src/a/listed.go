package a

import (
	"hash/maphash"
	"slices"
	"sync"
)

type vault struct {
	mu    sync.Mutex
	locks map[string]*sync.Mutex
	parts [8]vaultPart
	seed  maphash.Seed
}

type vaultPart struct {
	mu sync.Mutex
	m  map[string]string
}

func (v *vault) lockOf(id string) *sync.Mutex {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.locks[id]
}

func (v *vault) with(ids []string, f func() error) error {
	for _, id := range ids {
		l := v.lockOf(id)
		l.Lock() // want `deadlock: several locks are taken in the order in which the caller lists them`
		defer l.Unlock()
	}
	return f()
}

func (v *vault) withSorted(ids []string, f func() error) error {
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		l := v.lockOf(id)
		l.Lock()
		defer l.Unlock()
	}
	return f()
}

func (v *vault) each(ids []string, f func(string)) {
	for _, id := range ids {
		l := v.lockOf(id)
		l.Lock()
		f(id)
		l.Unlock()
	}
}

func (v *vault) all(f func()) {
	for i := range v.parts {
		v.parts[i].mu.Lock()
		defer v.parts[i].mu.Unlock()
	}
	f()
}

func (v *vault) part(key string) *vaultPart { return &v.parts[maphash.String(v.seed, key)%8] }

func (v *vault) rename(from, to string) {
	a, b := v.part(from), v.part(to)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a != b {
		b.mu.Lock() // want `deadlock: two values of one type are locked in the order in which the caller gives them`
		defer b.mu.Unlock()
	}
	b.m[to] = a.m[from]
}

type crowd struct {
	mu sync.Mutex
	wg sync.WaitGroup
	n  int
}

func (c *crowd) Go(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		f()
	}()
}

// What one of them runs can start another.
func (c *crowd) Wait() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wg.Wait() // want `deadlock: goroutines are waited for while a.crowd.mu is held`
	return c.n
}
