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
