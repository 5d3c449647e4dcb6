package b

import (
	"sync"
	"sync/atomic"
)

// Breaker has flags that say how calls came out: whoever sets one sets the same.
type Breaker struct {
	tripped atomic.Bool
	broken  atomic.Int32
	trials  atomic.Int64
}

func (b *Breaker) open() bool {
	return b.tripped.Load() && (b.broken.Load() == 1 || !b.trials.CompareAndSwap(0, 1))
}

func (b *Breaker) Call(f func() error) error {
	if b.open() {
		return nil
	}
	if err := f(); err != nil {
		b.tripped.Store(true)
		return err
	}
	b.broken.Store(0)
	b.tripped.Store(false)
	return nil
}

// Answers keeps the answer to each request by its key: who comes first puts an
// empty one there, and the answer when it is known.
type Answers struct {
	mu    sync.Mutex
	byKey map[string]string
}

func (a *Answers) begin(key string) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	old, taken := a.byKey[key]
	if !taken {
		a.byKey[key] = ""
	}
	return old, !taken
}

func (a *Answers) finish(key, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.byKey[key] = id
}

func (a *Answers) Once(key string, create func() string) string {
	id, mine := a.begin(key)
	if mine {
		id = create()
		a.finish(key, id)
	}
	return id
}

// Fuse is such a breaker, with a mutex.
type Fuse struct {
	mu    sync.Mutex
	blown bool
	n     int
}

func (f *Fuse) whole() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.blown || f.n < 3
}

func (f *Fuse) mend() {
	f.mu.Lock()
	f.blown = false
	f.mu.Unlock()
}

func (f *Fuse) blow() {
	f.mu.Lock()
	f.blown = true
	f.mu.Unlock()
}

func (f *Fuse) Call(work func() error) error {
	if !f.whole() {
		return nil
	}
	if err := work(); err != nil {
		f.blow()
		return err
	}
	f.mend()
	return nil
}
