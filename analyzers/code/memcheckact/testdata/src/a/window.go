package a

import "sync"

// tallies are counted under their lock, and nobody is told to what.
type tallies struct {
	mu   sync.Mutex
	data map[string]int
}

func (c *tallies) Get(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.data[key]
}

func (c *tallies) Increment(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.data[key] = c.data[key] + 1
}

func allow(c *tallies, key string, limit int) bool {
	if c.Get(key) >= limit {
		return false
	}
	c.Increment(key) // want `tallies.data`
	return true
}
