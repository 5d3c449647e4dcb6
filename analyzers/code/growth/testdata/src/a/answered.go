package a

import (
	"bufio"
	"io"
	"net"
	"sync"
)

// A channel for each answer, which the answer leaves in.

type unitJobs struct {
	waiting struct {
		sync.Mutex
		byPath map[string]chan string
	}
	call func(unit string) (path string, err error)
}

func (j *unitJobs) Start(unit string) (<-chan string, error) {
	j.waiting.Lock()
	defer j.waiting.Unlock()
	path, err := j.call(unit)
	if err != nil {
		return nil, err
	}
	ch := make(chan string, 1)
	j.waiting.byPath[path] = ch // want `the field byPath keeps each request when it has been answered`
	return ch, nil
}

func (j *unitJobs) Complete(path, result string) {
	j.waiting.Lock()
	defer j.waiting.Unlock()
	if ch, ok := j.waiting.byPath[path]; ok {
		ch <- result
	}
}

type attempts struct {
	mu   sync.Mutex
	next uint64
	open map[uint64]chan error
	send func(id uint64) error
}

func (t *attempts) Try() error {
	ch := make(chan error, 1)
	t.mu.Lock()
	t.next++
	id := t.next
	t.open[id] = ch // want `the field open keeps each request when it has been answered`
	t.mu.Unlock()
	if err := t.send(id); err != nil {
		return err
	}
	return <-ch
}

func (t *attempts) Done(id uint64, err error) {
	t.mu.Lock()
	ch := t.open[id]
	t.mu.Unlock()
	select {
	case ch <- err:
	default:
	}
}

// Queues that live on, under names that the program gives.
type lines struct {
	mu   sync.Mutex
	byID map[string]chan string
}

func (l *lines) Open(name string) <-chan string {
	ch := make(chan string, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byID[name] = ch
	return ch
}

func (l *lines) Put(name, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ch := l.byID[name]; ch != nil {
		ch <- text
	}
}

// The answer takes it out; the asker gives up by itself.
type heard struct {
	mu   sync.Mutex
	next uint64
	open map[uint64]chan error
}

func (h *heard) Ask() <-chan error {
	ch := make(chan error, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	h.open[h.next] = ch
	return ch
}

func (h *heard) Done(id uint64, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ch, ok := h.open[id]; ok {
		delete(h.open, id)
		ch <- err
	}
}

// The same, called by whoever reads the other side, which is not in sight.
type reported struct {
	mu   sync.Mutex
	next uint64
	open map[uint64]chan error
}

func (r *reported) Ask() error {
	ch := make(chan error, 1)
	r.mu.Lock()
	r.next++
	r.open[r.next] = ch
	r.mu.Unlock()
	return <-ch
}

func (r *reported) done(id uint64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ch, ok := r.open[id]; ok {
		ch <- err
		delete(r.open, id)
	}
}

// Those who come, with their connection in a structure that is copied, or as they are.

type guestConn struct {
	addr string
	out  io.Writer
}

var (
	guestsMu   sync.Mutex
	guestConns = map[guestConn]int{}
	callerList []net.Conn
	stayed     = map[guestConn]int{}
	dialled    []net.Conn
)

func Greet(addr string, ws io.ReadWriter) {
	c := guestConn{addr, ws}
	guestsMu.Lock()
	guestConns[c] = 0 // want `guestConns only grows`
	guestsMu.Unlock()
	in := bufio.NewScanner(ws)
	for in.Scan() {
		io.WriteString(ws, in.Text())
	}
}

func Serve(conn net.Conn) {
	guestsMu.Lock()
	callerList = append(callerList, conn) // want `callerList only grows`
	guestsMu.Unlock()
	buf := make([]byte, 512)
	for {
		if _, err := conn.Read(buf); err != nil {
			return
		}
	}
}

// Taken out when the connection ends.
func Host(addr string, ws io.ReadWriter) {
	c := guestConn{addr, ws}
	guestsMu.Lock()
	stayed[c] = 0
	guestsMu.Unlock()
	defer func() {
		guestsMu.Lock()
		defer guestsMu.Unlock()
		delete(stayed, c)
	}()
	in := bufio.NewScanner(ws)
	for in.Scan() {
	}
}

// A pool of what the program itself has opened.
func Pooled(conn net.Conn) {
	guestsMu.Lock()
	defer guestsMu.Unlock()
	dialled = append(dialled, conn)
}
