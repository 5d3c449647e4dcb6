package a

import (
	"errors"

	"github.com/bradfitz/gomemcache/memcache"
)

type slidingWindow struct{ mc *memcache.Client }

func (w *slidingWindow) count(key string) int {
	it, err := w.mc.Get(key)
	if err != nil {
		return 0
	}
	return len(it.Value)
}

// step sets the key where there is none yet: two that begin a window lose one.
func (w *slidingWindow) step(key string) int {
	n, err := w.mc.Increment(key, 1)
	if errors.Is(err, memcache.ErrCacheMiss) {
		if w.mc.Set(&memcache.Item{Key: key, Value: []byte("1")}) != nil { // want `incr decides, and set follows`
			return 0
		}
		return 1
	}
	return int(n)
}

// Allow takes a short cut, and then counts: what is wrong is in step, and told there.
func (w *slidingWindow) Allow(key string, limit int) bool {
	if w.count(key) >= limit {
		return false
	}
	return w.step(key) <= limit
}
