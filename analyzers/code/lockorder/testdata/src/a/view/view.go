package view // want package:"orders of locks"

import (
	"sync"

	"a/store"
)

type View struct {
	mu    sync.Mutex
	dirty map[string]bool
	s     *store.Store
}

func (v *View) Changed(key string) {
	v.mu.Lock()
	v.dirty[key] = true
	v.mu.Unlock()
}

func (v *View) Render() (out []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for k := range v.dirty {
		out = append(out, v.s.Get(k)) // want `deadlock: store.Store.mu is taken while view.View.mu is held`
	}
	return out
}
