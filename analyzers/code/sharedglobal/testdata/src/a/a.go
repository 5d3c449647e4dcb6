package a

import (
	"math/rand"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"a/store"

	"github.com/gin-gonic/gin"
)

var (
	served int
	last   = map[string]time.Time{}
	log    []string
)

type Mux struct {
	user string
	next http.Handler
}

func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.user = r.FormValue("user") // want `a.Mux.user is shared by all requests`
	m.next.ServeHTTP(w, r)
}

func Count(w http.ResponseWriter, r *http.Request) {
	served++ // want `a.served is shared by all requests`
}

func Last(w http.ResponseWriter, r *http.Request) { touch(r.URL.Path) }

func touch(p string) { last[p] = time.Now() } // want `a.last is shared by all requests`

func Log(w http.ResponseWriter, r *http.Request) {
	log = append(log, r.URL.Path) // want `a.log is shared by all requests`
}

func Limit(next http.Handler) http.Handler {
	n := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++ // want `a captured variable is shared by all requests`
		next.ServeHTTP(w, r)
	})
}

func Routes(e *gin.Engine) {
	e.GET("/safe", func(c *gin.Context) { store.Safe(c.Param("k")) })
}

func Parallel(keys []string) map[string]int {
	out := map[string]int{}
	var wg sync.WaitGroup
	for _, k := range keys {
		wg.Add(1)
		go func() {
			defer wg.Done()
			out[k] = len(k) // want `is shared by all goroutines of the loop, and every goroutine that Parallel starts`
		}()
	}
	wg.Wait()
	return out
}

var config map[string]string

func Reload(load func() map[string]string) {
	go func() {
		for range time.Tick(time.Minute) {
			config = load() // want `a.config is shared by all who use it, and the goroutine that Reload starts`
		}
	}()
}

func Config(k string) string { return config[k] }

// Near misses.

var (
	mu      sync.Mutex
	guarded = map[string]int{}
	total   atomic.Int64
	once    sync.Once
	started time.Time
	reg     = map[string]func(){}
	shared  sync.Map
)

func Guarded(w http.ResponseWriter, r *http.Request) {
	mu.Lock()
	guarded[r.URL.Path]++
	mu.Unlock()
	total.Add(1)
	shared.Store(r.URL.Path, 1)
	once.Do(func() { started = time.Now() })
}

func Register(k string, f func()) { reg[k] = f }

func init() { served = 0 }

type request struct {
	user string
	seen map[string]bool
}

func (q *request) login(r *http.Request) { q.user = r.FormValue("user") }

func PerRequest(w http.ResponseWriter, r *http.Request) {
	q := &request{seen: map[string]bool{}}
	q.login(r)
	q.seen[r.URL.Path] = true
	n := 0
	func() { n++ }()
}

func Slots(keys []string) []int {
	out := make([]int, len(keys))
	var wg sync.WaitGroup
	for i, k := range keys {
		wg.Add(1)
		go func() {
			defer wg.Done()
			out[i] = len(k)
		}()
	}
	wg.Wait()
	return out
}

// Types that are not made for two goroutines, elements, and what a sync.Map
// gave out.
var (
	rng   = rand.New(rand.NewSource(1))
	stats [4]int
	users sync.Map
)

type account struct{ seen time.Time }

func Unsafe(w http.ResponseWriter, r *http.Request) {
	_ = rng.Intn(6) // want `a shared rand.Rand is changed by HTTP handler Unsafe`
	stats[0]++      // want `an element of what all requests share is changed`
	if v, ok := users.Load(r.URL.Path); ok {
		touchUser(v.(*account))
	}
}

func touchUser(a *account) { _ = a.seen }

func Seen(w http.ResponseWriter, r *http.Request) {
	v, _ := users.Load(r.URL.Path)
	v.(*account).seen = time.Now() // want `an element of what all requests share is changed`
}

func Locked(w http.ResponseWriter, r *http.Request) {
	mu.Lock()
	defer mu.Unlock()
	_ = roll()
}

func roll() int { return rng.Intn(6) }

type outcome struct{ err error }

// Near miss: each goroutine has an element of its own.
func each(n int, do func(int) error) []outcome {
	all := make([]outcome, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			all[i].err = do(i)
		}()
	}
	wg.Wait()
	return all
}

// Near miss: the handler is made for one request and captures what belongs to it.
func Probe(name string, with func(http.Handler) http.Handler, w http.ResponseWriter, r *http.Request, ok bool) (who string) {
	with(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { who = r.Header.Get(name) })).ServeHTTP(w, r)
	return who
}
