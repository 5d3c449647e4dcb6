package lease

import "sync"

// Counter counts tokens in the memory of a service, as one does that starts over
// with it: when its last owner has left, it begins again. It is for what is
// planted.
type Counter struct {
	mu     sync.Mutex
	owners int
	last   int64
}

// Join notes an owner.
func (c *Counter) Join() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owners++
}

// Leave notes that an owner has gone.
func (c *Counter) Leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owners--; c.owners == 0 {
		c.last = 0
	}
}

// Next is the next token.
func (c *Counter) Next() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	return c.last
}
