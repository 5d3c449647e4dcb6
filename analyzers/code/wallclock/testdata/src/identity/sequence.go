package identity

import (
	"errors"
	"sync"
	"time"
)

// Ids of the tick and a number in it.

type node struct {
	mu        sync.Mutex
	last, seq int64
}

const epoch = 1600000000000

func (n *node) next() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now().UnixMilli() - epoch
	if now == n.last { // want `nothing asks whether the clock went back`
		n.seq = (n.seq + 1) & 4095
		for n.seq == 0 && now <= n.last { // waits for the next tick, and asks nothing more
			now = time.Now().UnixMilli() - epoch
		}
	} else {
		n.seq = 0
	}
	n.last = now
	return now<<22 | n.seq
}

type careful struct {
	mu        sync.Mutex
	last, seq int64
}

var errBack = errors.New("the clock went back")

func (n *careful) next() (int64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now().UnixMilli()
	if now < n.last {
		return 0, errBack
	}
	if now == n.last {
		n.seq++
	} else {
		n.seq = 0
	}
	n.last = now
	return now<<22 | n.seq, nil
}

// once counts how many come in one tick, and makes nothing of it.
type once struct{ last, n int64 }

func (o *once) busy() bool {
	now := time.Now().Unix()
	if now == o.last {
		o.n++
	} else {
		o.n = 0
	}
	o.last = now
	return o.n > 10
}
