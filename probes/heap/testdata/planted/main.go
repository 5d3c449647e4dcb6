// Command planted serves one case of a leak, or of its fixed twin, with
// net/http/pprof beside it. /units?n=1000 does a thousand units of work. The
// address is printed.
package main

import (
	"container/list"
	"context"
	"expvar"
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime/metrics"
	"strconv"
	"sync"
	"time"
)

// cases are the units of work by name.
var cases = map[string]func(i int){
	"leak-map":          leakMap,
	"leak-goroutine":    leakGoroutine,
	"leak-ticker":       leakTicker,
	"leak-slice":        leakSlice,
	"leak-list":         leakList,
	"leak-context":      leakContext,
	"leak-after":        leakAfter,
	"leak-body":         leakBody,
	"bounded-map":       boundedMap,
	"bounded-ring":      boundedRing,
	"bounded-keys":      boundedKeys,
	"bounded-pool":      boundedPool,
	"bounded-workers":   boundedWorkers,
	"bounded-goroutine": boundedGoroutine,
	"fills-lru":         fillsLRU,
	"fills-ring":        fillsRing,
	"fills-workers":     fillsWorkers,
	"fills-ttl":         fillsTTL,
	"fills-log":         fillsLog,
	"fills-words":       fillsWords,
	"leak-labels":       leakLabels,
	"leak-delete":       leakDelete,
	"leak-wrong-bound":  leakWrongBound,
	"leak-defer":        leakDefer,
	"leak-watch":        leakWatch,
	"leak-switch":       leakSwitch,
	"fills-flush":       fillsFlush,
}

var mu sync.Mutex

type session struct {
	id   int
	body []byte
}

var sessions = map[string]*session{}

// leakMap keeps every session under a key that never comes again.
func leakMap(i int) {
	sessions["session-"+strconv.Itoa(i)] = newSession(i)
}

func newSession(i int) *session { return &session{id: i, body: make([]byte, 700)} }

// leakGoroutine gives up waiting for an answer that is sent all the same.
func leakGoroutine(i int) {
	answer := make(chan int)
	go func() { answer <- i }()
	select {
	case <-answer:
	default:
	}
}

// leakTicker starts a heartbeat that nobody stops.
func leakTicker(int) {
	t := time.NewTicker(time.Hour)
	go func() {
		for range t.C {
			mu.Lock()
			mu.Unlock()
		}
	}()
}

var names [][]byte

// leakSlice keeps ten bytes of each buffer, and with them all of it.
func leakSlice(i int) {
	buffer := make([]byte, 4096)
	copy(buffer, strconv.Itoa(i))
	names = append(names, buffer[:10])
}

type version struct {
	text     [20]int
	previous *version
}

var newest *version

// leakList keeps all versions by way of the newest.
func leakList(i int) { newest = &version{text: [20]int{i}, previous: newest} }

var root, stop = context.WithCancel(context.Background())

// leakContext derives a context from that of the process and never cancels it.
func leakContext(int) {
	ctx, cancel := context.WithCancel(root)
	_ = ctx
	if os.Getenv("never") != "" {
		cancel()
		stop()
	}
}

// leakAfter waits for a message that never comes or an hour.
func leakAfter(int) {
	never := make(chan int)
	go func() {
		select {
		case <-never:
		case <-time.After(time.Hour):
		}
	}()
}

var base string

// leakBody never closes the body of an answer.
func leakBody(i int) {
	if i%10 != 0 {
		return
	}
	client := &http.Client{Transport: &http.Transport{}}
	if resp, err := client.Get(base + "/large"); err == nil {
		_ = resp.StatusCode
	}
}

var order []string

// boundedMap is leakMap with a bound.
func boundedMap(i int) {
	key := "session-" + strconv.Itoa(i)
	sessions[key] = newSession(i)
	if order = append(order, key); len(order) > 1200 {
		delete(sessions, order[0])
		order = order[1:]
	}
}

var ring [1200]*session

// boundedRing keeps the last sessions.
func boundedRing(i int) { ring[i%len(ring)] = newSession(i) }

// boundedKeys caches by user, and there are only so many.
func boundedKeys(i int) {
	key := strconv.Itoa(i * 7919 % 1200)
	if sessions[key] == nil {
		sessions[key] = newSession(i)
	}
}

var pool = sync.Pool{New: func() any { return new([4096]byte) }}

// boundedPool uses buffers again.
func boundedPool(i int) {
	var held [40]*[4096]byte
	for k := range held {
		held[k] = pool.Get().(*[4096]byte)
		held[k][0] = byte(i)
	}
	for _, b := range held {
		pool.Put(b)
	}
}

var workers int

// boundedWorkers starts workers up to a number.
func boundedWorkers(int) {
	if workers < 1000 {
		workers++
		go func() { <-root.Done() }()
	}
}

// boundedGoroutine is leakGoroutine with room for the answer.
func boundedGoroutine(i int) {
	answer := make(chan int, 1)
	go func() { answer <- i }()
	select {
	case <-answer:
	default:
	}
}

// most is more than a short run puts into any of the caches below.
const most = 5000

type lru struct {
	max     int
	order   *list.List
	entries map[string]*list.Element
}

var recent = &lru{most, list.New(), map[string]*list.Element{}}

// fillsLRU is a cache with a bound that a short run does not reach.
func fillsLRU(i int) { recent.put("session-"+strconv.Itoa(i), newSession(i)) }

func (c *lru) put(key string, s *session) {
	c.entries[key] = c.order.PushFront(s)
	if c.order.Len() > c.max {
		c.evict()
	}
}

func (c *lru) evict() {
	oldest := c.order.Back()
	c.order.Remove(oldest)
	delete(c.entries, "session-"+strconv.Itoa(oldest.Value.(*session).id))
}

var samples [most]*session

// fillsRing keeps the last samples.
func fillsRing(i int) { samples[i%most] = &session{id: i, body: make([]byte, 700)} }

// fillsWorkers starts workers up to a number.
func fillsWorkers(int) {
	if workers >= most {
		return
	}
	workers++
	go func() { <-root.Done() }()
}

type answer struct {
	at   time.Time
	rows []byte
}

var answers = map[string]*answer{}

// fillsTTL keeps answers for a time that is longer than a short run.
func fillsTTL(i int) {
	answers[strconv.Itoa(i)] = &answer{time.Now(), make([]byte, 700)}
	if i%100 == 0 {
		expire()
	}
}

func expire() {
	for key, a := range answers {
		if time.Since(a.at) > 10*time.Minute {
			delete(answers, key)
		}
	}
}

var lines []*session

// fillsLog writes lines when there are many.
func fillsLog(i int) {
	lines = append(lines, &session{id: i, body: make([]byte, 700)})
	if len(lines) == most {
		lines = nil
	}
}

var words = map[string]*session{}

// fillsWords keeps each word once, and there are only so many.
func fillsWords(i int) {
	key := strconv.Itoa(i % most)
	if words[key] == nil {
		words[key] = newSession(i)
	}
}

type counter struct {
	labels [2]string
	value  [40]int64
}

var counters = map[string]*counter{}

// leakLabels counts requests by the address of the client.
func leakLabels(i int) {
	labels := [2]string{"/page", "10.0.0.1:" + strconv.Itoa(i)}
	key := labels[0] + labels[1]
	if counters[key] == nil {
		counters[key] = &counter{labels: labels}
	}
	counters[key].value[0]++
}

// leakDelete removes sessions under another key than they were put.
func leakDelete(i int) {
	key := "session-" + strconv.Itoa(i)
	sessions[key] = newSession(i)
	delete(sessions, strconv.Itoa(i))
}

// leakWrongBound has a bound on the order, and the sessions stay.
func leakWrongBound(i int) {
	key := "session-" + strconv.Itoa(i)
	sessions[key] = newSession(i)
	order = append(order, key)
	if i > 100 {
		order = order[1:]
	}
}

// leakSwitch has a bound that takes effect only where the environment says so.
func leakSwitch(i int) {
	key := "session-" + strconv.Itoa(i)
	sessions[key] = newSession(i)
	order = append(order, key)
	if os.Getenv("BOUNDED") != "" {
		shrink()
	}
}

func shrink() {
	for len(order) > most {
		delete(sessions, order[0])
		order = order[1:]
	}
}

var records []*session

// fillsFlush writes records from time to time.
func fillsFlush(i int) {
	if records == nil {
		time.AfterFunc(time.Minute, flush)
	}
	records = append(records, &session{id: i, body: make([]byte, 700)})
}

func flush() {
	mu.Lock()
	defer mu.Unlock()
	records = nil
}

// leakDefer waits for a signal that is given to one of its two readers.
func leakDefer(int) {
	done := make(chan struct{})
	for range 2 {
		go func() { <-done }()
	}
	done <- struct{}{}
}

var watchers []func(int) int

// leakWatch adds a watcher that nobody takes off.
func leakWatch(i int) {
	state := make([]byte, 600)
	watchers = append(watchers, func(n int) int { state[0] = byte(n); return len(state) + i })
}

// exported are metrics of the runtime by their names, as far as JSON has them.
func exported() any {
	all := map[string]any{}
	for _, name := range []string{"/gc/scan/heap:bytes", "/sched/pauses/total/gc:seconds", "/cpu/classes/gc/total:cpu-seconds", "/cpu/classes/total:cpu-seconds", "/gc/limiter/last-enabled:gc-cycle"} {
		sample := []metrics.Sample{{Name: name}}
		metrics.Read(sample)
		switch v := sample[0].Value; v.Kind() {
		case metrics.KindUint64:
			all[name] = v.Uint64()
		case metrics.KindFloat64:
			all[name] = v.Float64()
		case metrics.KindFloat64Histogram:
			var bounds []string
			for _, b := range v.Float64Histogram().Buckets {
				bounds = append(bounds, strconv.FormatFloat(b, 'g', -1, 64))
			}
			all[name] = map[string]any{"counts": v.Float64Histogram().Counts, "buckets": bounds}
		}
	}
	return all
}

func main() {
	expvar.Publish("runtime", expvar.Func(exported))
	unit := cases[os.Args[1]]
	done := 0
	http.HandleFunc("/units", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.FormValue("n"))
		mu.Lock()
		defer mu.Unlock()
		for range max(n, 1) {
			unit(done)
			done++
		}
		fmt.Fprintln(w, done)
	})
	http.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 1<<20)) })
	l := listen()
	if os.Getenv("PAGES") != "" {
		go http.Serve(listen(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "a page for every address") }))
	}
	base = "http://" + l.Addr().String()
	fmt.Println(base)
	if err := http.Serve(l, nil); err != nil {
		os.Exit(1)
	}
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return l
}
