package a

import (
	"bytes"
	"container/list"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"expvar"
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"
)

// The counts go, and the locks beside them stay.

type spot struct{ room, guest int64 }

var (
	spotLocks sync.Map
	spotSeen  sync.Map
)

func SeenAt(s spot) {
	m, _ := spotLocks.LoadOrStore(s, new(sync.Mutex)) // want `spotLocks only grows`
	m.(*sync.Mutex).Lock()
	defer m.(*sync.Mutex).Unlock()
	spotSeen.Store(s, time.Now())
}

func ForgetSpots() {
	spotSeen.Range(func(k, v any) bool {
		if time.Since(v.(time.Time)) > time.Hour {
			spotSeen.Delete(k)
		}
		return true
	})
}

// A certificate for each name that clients ask for.

type certs struct {
	mu   sync.Mutex
	made map[string]*tls.Certificate
	sign func(string) (*tls.Certificate, error)
}

func (c *certs) get(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.made[h.ServerName]; found != nil {
		return found, nil
	}
	one, err := c.sign(h.ServerName)
	if err == nil {
		c.made[h.ServerName] = one // want `the field made only grows: TLS handlers add to it`
	}
	return one, err
}

func (c *certs) Config() *tls.Config { return &tls.Config{GetCertificate: c.get} }

// The names are those that the program gave when it made its handlers.

type pageLocks struct {
	mu sync.Mutex
	m  map[string]*sync.Mutex
}

func (p *pageLocks) of(name string) *sync.Mutex {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.m[name] == nil {
		p.m[name] = new(sync.Mutex)
	}
	return p.m[name]
}

func PageOf(p *pageLocks, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		l := p.of(name)
		l.Lock()
		defer l.Unlock()
	}
}

// Who only tells how many there are bounds nothing, and neither does who empties it at
// the end.

type once struct {
	mu     sync.Mutex
	keys   map[string]struct{}
	capped map[string]struct{}
	stamps map[string]time.Time
}

func (o *once) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("Idempotency-Key")
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stamps[id] = time.Now() // want `the field stamps only grows`
	if _, again := o.keys[id]; again {
		return
	}
	o.keys[id] = struct{}{} // want `the field keys only grows`
	if n := len(o.keys); n%1000 == 0 {
		log.Printf("%d keys", n)
	}
	if _, again := o.capped[id]; !again && len(o.capped) < 1000 {
		o.capped[id] = struct{}{}
	}
}

func (o *once) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stamps = nil
}

// Lists and buffers.

type diary struct {
	mu    sync.Mutex
	lines *list.List
	last  *list.List
	all   bytes.Buffer
	brief bytes.Buffer
}

func (d *diary) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines.PushBack(r.URL.Path) // want `the field lines only grows`
	d.last.PushBack(r.URL.Path)
	if d.last.Len() > 100 {
		d.last.Remove(d.last.Front())
	}
	fmt.Fprintln(&d.all, r.URL) // want `the field all only grows`
	d.brief.WriteString(r.URL.Path)
	if d.brief.Len() > 4096 {
		d.brief.Reset()
	}
}

// Rooms that run empty.

type chatRoom struct {
	mu     sync.Mutex
	guests map[string]int
}

type chatRooms struct {
	mu sync.Mutex
	m  map[string]*chatRoom
}

func (h *chatRooms) room(name string) *chatRoom {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.m[name]
	if !ok {
		r = &chatRoom{guests: map[string]int{}}
		h.m[name] = r // want `the field m only grows: a key stays when all that it had is taken out`
	}
	return r
}

func (h *chatRooms) Join(roomID, guest string) {
	r := h.room(roomID)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.guests[guest] = 1
}

func (h *chatRooms) Leave(roomID, guest string) {
	r := h.room(roomID)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.guests, guest)
}

// What has happened, kept by what lives as long as the process; and the errors of one run.

type mailNotifier struct {
	mu        sync.Mutex
	delivered []string
	send      func(string) error
}

func (n *mailNotifier) Tell(to string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.delivered = append(n.delivered, to) // want `the field delivered only grows`
	return n.send(to)
}

type faults struct {
	mu   sync.Mutex
	errs []error
}

func (f *faults) Add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errs = append(f.errs, err)
}

func (f *faults) Err() error { return errors.Join(f.errs...) }

// A goroutine and a queue for each chat; work that is done some day; logins that are
// never finished.

type letter struct{ Chat int64 }

type robot struct {
	mu     sync.Mutex
	queues map[int64]chan letter
	jobs   map[string]*renderJob
	items  map[string]*stockItem
	reply  func(letter)
}

func (r *robot) Dispatch(l letter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q, ok := r.queues[l.Chat]
	if !ok {
		q = make(chan letter, 8)
		r.queues[l.Chat] = q // want `the field queues only grows`
		go func() {
			for l := range q {
				r.reply(l)
			}
		}()
	}
	q <- l
}

type renderJob struct{ ID, State string }

type stockItem struct{ ID, Name string }

func (r *robot) Render(w http.ResponseWriter, _ *http.Request) {
	one := &renderJob{ID: rand.Text(), State: "running"}
	item := &stockItem{ID: rand.Text()}
	r.mu.Lock()
	r.jobs[one.ID] = one // want `the field jobs only grows`
	r.items[item.ID] = item
	r.mu.Unlock()
	go func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		one.State, item.Name = "done", "new"
	}()
}

var (
	loginMu     sync.Mutex
	loginStates = map[string]string{}
)

func BeginLogin(w http.ResponseWriter, r *http.Request) {
	s := rand.Text()
	loginMu.Lock()
	defer loginMu.Unlock()
	loginStates[s] = r.FormValue("next") // want `loginStates only grows with what is begun and never finished`
}

func EndLogin(w http.ResponseWriter, r *http.Request) {
	loginMu.Lock()
	defer loginMu.Unlock()
	delete(loginStates, r.FormValue("state"))
}

// A counter for each path that anybody asks for, and for each route.

var byPath, byRoute, bySort = expvar.NewMap("path"), expvar.NewMap("route"), expvar.NewMap("kind")

func sortOf(path string) string {
	if path == "/" {
		return "home"
	}
	return "other"
}

func CountPath(w http.ResponseWriter, r *http.Request) {
	byPath.Add(r.URL.Path, 1) // want `a metric gets a series for each value that clients make up`
	byRoute.Add(r.Pattern, 1)
	bySort.Add(sortOf(r.URL.Path), 1)
}
