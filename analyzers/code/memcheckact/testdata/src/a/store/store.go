package store

import "sync"

type Cache[V any] struct {
	mu sync.RWMutex
	m  map[string]V
}

func (c *Cache[V]) Get(k string) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.m[k]
	return v, ok
}

func (c *Cache[V]) Set(k string, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = v
}
