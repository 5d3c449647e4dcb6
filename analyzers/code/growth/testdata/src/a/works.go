package a

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

type works struct {
	mu      sync.Mutex
	cancels map[string]context.CancelFunc
	over    map[string]context.CancelFunc
	latest  map[string]context.CancelFunc
	waits   map[string]chan string
	swept   map[string]chan string
	publish func(id string) error
	nonces  map[string]struct{}
	replays map[string]bool
	nonce   map[string]int
}

// The work ends, and its entry stays.
func (w *works) Begin(jobID string, do func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	w.mu.Lock()
	w.cancels[jobID] = cancel // want `the field cancels only grows: each entry cancels one piece of work`
	w.mu.Unlock()
	go func() {
		defer cancel()
		do(ctx)
	}()
}

// The work takes its entry out.
func (w *works) Tidy(jobID string, do func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	w.mu.Lock()
	w.over[jobID] = cancel
	w.mu.Unlock()
	go func() {
		defer func() {
			cancel()
			w.mu.Lock()
			delete(w.over, jobID)
			w.mu.Unlock()
		}()
		do(ctx)
	}()
}

// The next work of an owner takes the place of the one before.
func (w *works) Replace(ownerID string, do func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	w.mu.Lock()
	if before := w.latest[ownerID]; before != nil {
		before()
	}
	w.latest[ownerID] = cancel
	w.mu.Unlock()
	go do(ctx)
}

// What sends is in a field.
func (w *works) Ask(id string) (string, error) {
	ch := make(chan string, 1)
	w.mu.Lock()
	w.waits[id] = ch // want `the field waits keeps each request until its answer comes`
	w.mu.Unlock()
	if err := w.publish(id); err != nil {
		return "", err
	}
	select {
	case s := <-ch:
		return s, nil
	case <-time.After(time.Second):
		return "", errors.New("no answer")
	}
}

func (w *works) Told(id, s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ch, ok := w.waits[id]; ok {
		delete(w.waits, id)
		ch <- s
	}
}

// Who waits forgets the request.
func (w *works) AskOnce(id string) (string, error) {
	ch := make(chan string, 1)
	w.mu.Lock()
	w.swept[id] = ch
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.swept, id)
		w.mu.Unlock()
	}()
	if err := w.publish(id); err != nil {
		return "", err
	}
	return <-ch, nil
}

func (w *works) ToldOnce(id, s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ch, ok := w.swept[id]; ok {
		ch <- s
	}
}

// What may come one time is remembered for ever.
func (w *works) Fresh(n string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, used := w.nonces[n]; used {
		return false
	}
	w.nonces[n] = struct{}{} // want `the field nonces only grows`
	return true
}

// Cleared at the end of each window.
func (w *works) FreshNow(n string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.replays[n] {
		return false
	}
	w.replays[n] = true
	return true
}

func (w *works) Window() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.replays)
}

// There is one number for each chain.
func (w *works) Next(chain string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.nonce[chain]++
	return w.nonce[chain]
}

type quotas struct {
	mu sync.Mutex
	m  map[string]*sync.Mutex
}

func (q *quotas) of(tenant string) *sync.Mutex {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, ok := q.m[tenant]
	if !ok {
		l = &sync.Mutex{}
		q.m[tenant] = l
	}
	return l
}

// Who asks is one of those that the program knows.
func known(q *quotas, tenants map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		t, ok := tenants[r.Header.Get("X-Api-Key")]
		if !ok || !q.of(t).TryLock() {
			w.WriteHeader(http.StatusForbidden)
		}
	}
}

type strangers struct {
	mu sync.Mutex
	m  map[string]*sync.Mutex
}

func (q *strangers) of(tenant string) *sync.Mutex {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, ok := q.m[tenant]
	if !ok {
		l = &sync.Mutex{}
		q.m[tenant] = l // want `the field m only grows`
	}
	return l
}

// Who asks chooses the name.
func anybody(q *strangers) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !q.of(r.Header.Get("X-Tenant")).TryLock() {
			w.WriteHeader(http.StatusForbidden)
		}
	}
}
