package cmap

import "sync"

type Map[V any] struct {
	mu sync.RWMutex
	m  map[string]V
}

func (c *Map[V]) Delete(k string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, k)
}

func (c *Map[V]) Each(f func(string, V)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, v := range c.m {
		f(k, v)
	}
}
