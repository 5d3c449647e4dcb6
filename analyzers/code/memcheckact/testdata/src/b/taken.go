package b

import (
	"slices"
	"sync"
)

// A list of the package, and its lock.

type member struct{ Name string }

var (
	membersMu sync.RWMutex
	members   []member
	guests    []member
)

func isMember(name string) bool {
	membersMu.RLock()
	defer membersMu.RUnlock()
	return slices.ContainsFunc(members, func(m member) bool { return m.Name == name })
}

func Enrol(m member) bool {
	if isMember(m.Name) {
		return false
	}
	membersMu.Lock()
	defer membersMu.Unlock()
	members = append(members, m) // want `check then act: members decides`
	return true
}

// Looked for and added under one lock.
func Invite(m member) bool {
	membersMu.Lock()
	defer membersMu.Unlock()
	if slices.ContainsFunc(guests, func(g member) bool { return g.Name == m.Name }) {
		return false
	}
	guests = append(guests, m)
	return true
}

// How many there are says nothing of what is added.
func Count() int {
	membersMu.RLock()
	defer membersMu.RUnlock()
	return len(guests)
}

type feed struct {
	mu   sync.Mutex
	subs []chan int
}

// Each of the two stores has read the list under its own lock, whatever was known of
// it from the one before.
func (t *feed) Follow(stop chan struct{}, f func(int)) {
	ch := make(chan int)
	t.mu.Lock()
	t.subs = append(t.subs, ch)
	t.mu.Unlock()
	for {
		select {
		case n := <-ch:
			f(n)
		case <-stop:
			t.mu.Lock()
			for i, c := range t.subs {
				if c == ch {
					t.subs = append(t.subs[:i], t.subs[i+1:]...)
					break
				}
			}
			t.mu.Unlock()
			return
		}
	}
}
