package script

import (
	"errors"
	"fmt"
)

// How pgbench deals out random numbers (PostgreSQL 15 to 18). One base stream
// has the seed of the run. From it are drawn, in this order: a seed for every
// client's functions; the variable default_seed, unless -D gives it; and for
// every thread the seeds of the choice of scripts, of the rate and of the
// sampling of the log.

// clientState returns the stream of a client's functions.
func clientState(seed uint64, client int) State {
	base := NewState(seed)
	for range client {
		base.Uint64()
	}
	return NewState(base.Uint64())
}

// defaultSeed returns the value of the variable default_seed.
func defaultSeed(seed uint64, clients int) int64 {
	base := NewState(seed)
	for range clients {
		base.Uint64()
	}
	return int64(base.Uint64())
}

// ChooserState returns the stream by which a thread of pgbench chooses scripts.
// With one thread for each client (pgbench -j as large as -c), thread is the
// client. hasDefaultSeed tells that -D default_seed was given: it is not drawn
// then, and all that follows moves up by one.
func ChooserState(seed uint64, clients, thread int, hasDefaultSeed bool) State {
	base := NewState(seed)
	skip := clients + 1 + 3*thread
	if hasDefaultSeed {
		skip--
	}
	for range skip {
		base.Uint64()
	}
	return NewState(base.Uint64())
}

// Chooser chooses scripts at random by weight, as pgbench -f a@3 -f b@1 does.
type Chooser struct {
	random  State
	weights []int
	total   int64
}

// NewChooser returns a chooser of the scripts with these weights. A weight of
// zero is never chosen; negative weights and a sum of zero are errors.
func NewChooser(random State, weights []int) (*Chooser, error) {
	c := &Chooser{random: random, weights: weights}
	for _, w := range weights {
		if w < 0 {
			return nil, fmt.Errorf("weight %d is negative: a script's weight must be zero or more", w)
		}
		c.total += int64(w)
	}
	if c.total == 0 {
		return nil, errors.New("total script weight must not be zero")
	}
	return c, nil
}

// Next returns the index of the next script. A single script takes no number
// from the stream.
func (c *Chooser) Next() int {
	if len(c.weights) == 1 {
		return 0
	}
	left := c.random.Uniform(0, c.total-1)
	for i, w := range c.weights {
		if left -= int64(w); left < 0 {
			return i
		}
	}
	return len(c.weights) - 1
}
