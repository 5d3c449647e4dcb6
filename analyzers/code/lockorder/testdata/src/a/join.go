package a

import "sync"

type looper struct {
	mu   sync.Mutex
	quit chan struct{}
	done chan struct{}
	n    int
}

func (l *looper) loop() {
	defer close(l.done)
	for {
		select {
		case <-l.quit:
			return
		default:
		}
		l.mu.Lock()
		l.n++
		l.mu.Unlock()
	}
}

// The goroutine wants the lock before it can end.
func (l *looper) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.quit)
	<-l.done // want `deadlock: the end of a goroutine is waited for while a.looper.mu is held`
}

func (l *looper) Halt() {
	l.mu.Lock()
	close(l.quit)
	l.mu.Unlock()
	<-l.done
}

func startLooper() *looper {
	l := &looper{quit: make(chan struct{}), done: make(chan struct{})}
	go l.loop()
	return l
}
