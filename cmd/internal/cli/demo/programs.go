package demo

import (
	"context"
	"fmt"
	"net/http"
	"net/http/pprof"
	"sync"
	"sync/atomic"
	"time"
)

// programs are the servers of the lab, by name: each planted bug with its twin.
func programs() map[string]func(context.Context) http.Handler {
	return map[string]func(context.Context) http.Handler{
		"bleed":    func(context.Context) http.Handler { return &sharedPage{} },
		"confined": func(context.Context) http.Handler { return confinedPage{} },
		"leak":     func(ctx context.Context) http.Handler { return profiled(ctx, &sessions{}) },
		"bounded":  func(ctx context.Context) http.Handler { return profiled(ctx, &sessions{most: 1000}) },
	}
}

// load is the time that the page of a user takes to come from a database.
const load = time.Millisecond

// sharedPage renders the page of whoever asked last: the planted bug.
type sharedPage struct{ current atomic.Value }

func (p *sharedPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.current.Store(r.FormValue("user"))
	time.Sleep(load)
	fmt.Fprintf(w, "<h1>Orders of %s</h1>\n", p.current.Load())
}

// confinedPage is its twin.
type confinedPage struct{}

func (confinedPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user := r.FormValue("user")
	time.Sleep(load)
	fmt.Fprintf(w, "<h1>Orders of %s</h1>\n", user)
}

// sessions keeps a kilobyte for every visitor: of all of them, or of the newest.
type sessions struct {
	mu   sync.Mutex
	kept [][]byte
	most int // 0 for no bound
}

// visit opens a session.
func (s *sessions) visit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most > 0 && len(s.kept) >= s.most {
		copy(s.kept, s.kept[1:])
		s.kept[len(s.kept)-1] = newSession()
		return
	}
	s.kept = append(s.kept, newSession())
}

func newSession() []byte { return make([]byte, 1024) }

// visits is how many come in a millisecond.
const visits = 4

// profiled opens sessions until ctx is done, and shows the memory of its process.
func profiled(ctx context.Context, s *sessions) http.Handler {
	go func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				for range visits {
					s.visit()
				}
			}
		}
	}()
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	return mux
}
