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
