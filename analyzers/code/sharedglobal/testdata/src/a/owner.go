package a

import "time"

// One goroutine has the map for itself, but for the page that prints it: it is told
// once, where the map is changed.
var unread map[string]int

func Counter(updates <-chan string) {
	go count(updates)
}

func count(updates <-chan string) {
	unread = map[string]int{}
	for u := range updates {
		unread[u]++ // want `a.unread is shared by all who use it, and the goroutine that Counter starts changes it without a lock\n.*\n.*concurrent map read and map write`
		if unread[u] > 100 {
			delete(unread, u)
		}
	}
}

func Debug() int {
	n := 0
	for _, c := range unread {
		n += c
	}
	return n
}

// Nobody but the goroutine looks at this one.
var visits map[string]time.Time

func Visits(updates <-chan string) {
	go func() {
		visits = map[string]time.Time{}
		for u := range updates {
			visits[u] = time.Now()
		}
	}()
}
