package a

import (
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

type totals struct{ Total int }

// refreshed is set by a goroutine, and read by requests.
type refreshed struct{ last *totals }

func (s *refreshed) Start(load func() *totals) {
	go func() {
		for {
			s.last = load() // want `refreshed.last is shared by all who use it`
			time.Sleep(time.Minute)
		}
	}()
}

func (s *refreshed) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	json.NewEncoder(w).Encode(s.last)
}

type underLock struct {
	mu   sync.RWMutex
	last *totals
	now  atomic.Pointer[totals]
	runs int
}

func (s *underLock) Start(load func() *totals) {
	go s.run(load)
}

func (s *underLock) run(load func() *totals) {
	for range time.Tick(time.Minute) {
		r := load()
		s.now.Store(r)
		s.runs++ // no request looks at it
		s.mu.Lock()
		s.last = r
		s.mu.Unlock()
	}
}

func (s *underLock) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	json.NewEncoder(w).Encode(s.last)
}

func (s *underLock) Now(w http.ResponseWriter, _ *http.Request) {
	json.NewEncoder(w).Encode(s.now.Load())
}
