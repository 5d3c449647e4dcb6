package a

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

var mu sync.Mutex

// Global, by client address.
var seen = map[string]time.Time{}

func Seen(w http.ResponseWriter, r *http.Request) {
	mu.Lock()
	defer mu.Unlock()
	seen[r.RemoteAddr] = time.Now() // want `seen only grows`
}

// A field of the handler, through a helper.
type bucket struct {
	mu sync.Mutex
	n  int
}

type Limiter struct{ buckets map[string]*bucket }

func (l *Limiter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.bucket(r.Header.Get("X-Key")).n++
}

func (l *Limiter) bucket(key string) *bucket {
	b := l.buckets[key]
	if b == nil {
		b = &bucket{}
		l.buckets[key] = b // want `the field buckets only grows`
	}
	return b
}

// A variable that a middleware captured.
func Middleware(next echo.HandlerFunc) echo.HandlerFunc {
	hits := map[string]int{}
	return func(c echo.Context) error {
		mu.Lock()
		hits[c.RealIP()]++ // want `hits only grows`
		mu.Unlock()
		return next(c)
	}
}

// A sync.Map of locks.
var locks sync.Map

func Lock(w http.ResponseWriter, r *http.Request) {
	v, _ := locks.LoadOrStore(r.URL.Path, new(sync.Mutex)) // want `locks only grows`
	v.(*sync.Mutex).Lock()
}

// A cache by path.
var pages = map[string][]byte{}

func render(path string) []byte { return []byte(path) }

func Page(w http.ResponseWriter, r *http.Request) {
	p, ok := pages[r.URL.Path]
	if !ok {
		p = render(r.URL.Path)
		pages[r.URL.Path] = p // want `pages only grows`
	}
	w.Write(p)
}

// A list of events, with no handler in sight.
type event struct {
	who string
	at  time.Time
}

var events []event

func Note(who string) {
	events = append(events, event{who, time.Now()}) // want `events only grows`
}

// An eviction that nobody can reach.
var dead = map[string]time.Time{}

func Dead(w http.ResponseWriter, r *http.Request) {
	dead[r.RemoteAddr] = time.Now() // want `dead only grows`
}

func sweepDead() { clear(dead) }

// Near misses.

var evicted = map[string]time.Time{}

func Evicted(w http.ResponseWriter, r *http.Request) {
	evicted[r.RemoteAddr] = time.Now()
	time.AfterFunc(time.Minute, func() { delete(evicted, r.RemoteAddr) })
}

var trimmed []event

func Trimmed(who string) {
	trimmed = slices.DeleteFunc(trimmed, func(e event) bool { return time.Since(e.at) > time.Minute })
	trimmed = append(trimmed, event{who, time.Now()})
}

var bounded = map[string]time.Time{}

func Bounded(w http.ResponseWriter, r *http.Request) {
	if len(bounded) < 1000 {
		bounded[r.RemoteAddr] = time.Now()
	}
}

var replaced = map[string]time.Time{}

func Replaced(w http.ResponseWriter, r *http.Request) { replaced[r.RemoteAddr] = time.Now() }

func Rotate() { replaced = map[string]time.Time{} }

var registry = map[string]func(){}

func Register(name string, f func()) { registry[name] = f }

type local struct{ m map[string]time.Time }

func Local(w http.ResponseWriter, r *http.Request) {
	l := local{m: map[string]time.Time{}}
	l.m[r.URL.Path] = time.Now()
}

var byKind = map[bool]time.Time{}

func Kind(w http.ResponseWriter, r *http.Request) { byKind[r.TLS != nil] = time.Now() }

type Router struct {
	routes map[string]http.HandlerFunc
	memo   map[string]http.HandlerFunc
}

func (r *Router) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.memo[q.URL.Path] = r.routes[q.URL.Path]
}

// A limiter of a library: no handler, a lock, and keys that name clients.
type visitor struct {
	n    int
	last time.Time
}

type Visitors struct {
	mu sync.Mutex
	m  map[string]*visitor
}

func (v *Visitors) Allow(ip string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	x, ok := v.m[ip]
	if !ok {
		x = &visitor{}
		v.m[ip] = x // want `the field m only grows`
	}
	x.n++
	return x.n < 10
}

type Swept struct {
	mu sync.Mutex
	m  map[string]*visitor
}

func (v *Swept) Allow(ip string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.m[ip] = &visitor{last: time.Now()}
}

func (v *Swept) Sweep() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for k, x := range v.m {
		if time.Since(x.last) > time.Minute {
			delete(v.m, k)
		}
	}
}
