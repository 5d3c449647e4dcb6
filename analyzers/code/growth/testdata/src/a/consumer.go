package a

import "context"

type message struct{ ID, Topic string }

type consumer struct {
	in     <-chan message
	seen   map[string]struct{}
	topics map[string]bool
	recent map[string]bool
	order  []string
}

func (c *consumer) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m := <-c.in:
			if _, dup := c.seen[m.ID]; dup {
				continue
			}
			c.seen[m.ID] = struct{}{} // want `the field seen only grows: messages that a loop receives add to it`
			c.topics[m.Topic] = true
			c.remember(m.ID)
		}
	}
}

// remember forgets the oldest.
func (c *consumer) remember(id string) {
	c.recent[id] = true
	c.order = append(c.order, id)
	if len(c.order) > 100 {
		delete(c.recent, c.order[0])
		c.order = c.order[1:]
	}
}

type queue interface {
	Receive(ctx context.Context) (*message, error)
}

var handled = map[string]bool{}

func Drain(ctx context.Context, q queue) error {
	for {
		m, err := q.Receive(ctx)
		if err != nil {
			return err
		}
		mark(m)
	}
}

func mark(m *message) {
	handled[m.ID] = true // want `handled only grows`
}

// Collect ends, and its set with it.
func Collect(ms []message) int {
	ch := make(chan message)
	go func() {
		for _, m := range ms {
			ch <- m
		}
		close(ch)
	}()
	seen := map[string]bool{}
	for m := range ch {
		seen[m.ID] = true
	}
	return len(seen)
}
