package a

import "sync"

// A generic type behind an interface that is not generic.

type keeper interface {
	look(k string) (int, bool)
	keep(k string, v int)
}

type boxOf[T any] struct {
	mu sync.Mutex
	m  map[string]T
}

func (b *boxOf[T]) look(k string) (T, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	v, ok := b.m[k]
	return v, ok
}

func (b *boxOf[T]) keep(k string, v T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.m[k] = v
}

type holder struct{ k keeper }

func newHolder() *holder { return &holder{k: &boxOf[int]{m: map[string]int{}}} }

func (h *holder) through(k string) {
	if _, ok := h.k.look(k); !ok {
		h.k.keep(k, 1)
	}
}
