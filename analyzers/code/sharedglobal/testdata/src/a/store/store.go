package store

import "sync"

var (
	mu   sync.Mutex
	safe = map[string]int{}
)

func Safe(k string) {
	mu.Lock()
	defer mu.Unlock()
	put(k)
}

func put(k string) { safe[k]++ }
