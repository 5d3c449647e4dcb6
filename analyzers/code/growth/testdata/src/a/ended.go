package a

import (
	"net"
	"slices"
	"sync"
	"time"
)

// Keys that are the objects of those who come.

var (
	namesMu sync.Mutex
	names   = map[net.Conn]string{}
	nicks   = map[net.Conn]string{}
)

func Hello(c net.Conn, name string) {
	namesMu.Lock()
	defer namesMu.Unlock()
	names[c] = name // want `names only grows: an entry for each Conn that comes`
	nicks[c] = name
}

func Bye(c net.Conn) {
	namesMu.Lock()
	defer namesMu.Unlock()
	delete(nicks, c)
}

// A registry has a few.
type Driver interface{ Open() error }

var drivers = map[Driver]string{}

func RegisterDriver(d Driver, name string) { drivers[d] = name }

// Entries that are marked as over.

type call struct {
	id    string
	done  bool
	begun time.Duration
}

type board struct {
	mu    sync.Mutex
	calls map[string]*call
	swept map[string]*call
}

func (b *board) Start(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls[id] = &call{id: id} // want `the field calls only grows: entries that are marked as over stay in it`
	b.swept[id] = &call{id: id}
}

func (b *board) Finish(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.calls[id]; c != nil {
		c.done = true
	}
	if c, ok := b.swept[id]; ok {
		c.done = true
	}
}

func (b *board) Sweep() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, c := range b.swept {
		if c.done {
			delete(b.swept, id)
		}
	}
}

// Lists that run empty.

type waiters struct {
	mu     sync.Mutex
	byTx   map[string][]chan int
	byUser map[string]map[chan int]bool
	clean  map[string][]chan int
	topics map[topic][]chan int
	open   map[string][]chan int
}

// A topic is one of those that the program knows.
type topic string

func (w *waiters) Add(txID, userID, room string, t topic, ch chan int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.byTx[txID] = append(w.byTx[txID], ch) // want `the field byTx only grows: a key stays when all that it had is taken out`
	if w.byUser[userID] == nil {
		w.byUser[userID] = map[chan int]bool{} // want `the field byUser only grows`
	}
	w.byUser[userID][ch] = true
	w.clean[txID] = append(w.clean[txID], ch)
	w.topics[t] = append(w.topics[t], ch)
	w.open[room] = append(w.open[room], ch) // want `the field open only grows: a key stays when all that it had is taken out`
}

func (w *waiters) Remove(txID, userID, room string, t topic, ch chan int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.byTx[txID]
	if i := slices.Index(l, ch); i >= 0 {
		w.byTx[txID] = append(l[:i], l[i+1:]...)
	}
	delete(w.byUser[userID], ch)
	same := func(o chan int) bool { return o == ch }
	w.clean[txID] = slices.DeleteFunc(w.clean[txID], same)
	if len(w.clean[txID]) == 0 {
		delete(w.clean, txID)
	}
	w.topics[t] = slices.DeleteFunc(w.topics[t], same)
	w.open[room] = slices.DeleteFunc(w.open[room], same)
}
