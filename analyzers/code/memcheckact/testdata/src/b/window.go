package b

import "sync"

// counts is counted under its lock, and says to what.
type counts struct {
	mu   sync.Mutex
	data map[string]int
}

func (c *counts) Get(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.data[key]
}

func (c *counts) Increment(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.data[key]
	c.data[key] = n + 1
	return c.data[key]
}

func allow(c *counts, key string, limit int) bool {
	if c.Get(key) >= limit {
		return false
	}
	return c.Increment(key) <= limit
}

// A count with a time beside it.
type hit struct{ n, until int }

type hits struct {
	mu   sync.Mutex
	data map[string]hit
}

func (c *hits) Get(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.data[key].n
}

func (c *hits) Increment(key string, until int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.data[key] = hit{n: c.data[key].n + 1, until: until}
	return c.data[key].n
}

func allowHit(c *hits, key string, limit, until int) bool {
	if c.Get(key) >= limit {
		return false
	}
	return c.Increment(key, until) <= limit
}
