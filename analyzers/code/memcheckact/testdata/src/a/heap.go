package a

import (
	"container/heap"
	"container/list"
	"errors"
	"sort"
	"sync"
	"time"
)

var errEmpty = errors.New("empty")

type due struct{ sort.IntSlice }

func (d *due) Push(x any) { d.IntSlice = append(d.IntSlice, x.(int)) }

func (d *due) Pop() any {
	n := len(d.IntSlice) - 1
	x := d.IntSlice[n]
	d.IntSlice = d.IntSlice[:n]
	return x
}

type agenda struct {
	mu    sync.RWMutex
	items *due
}

func (a *agenda) empty() bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.items.Len() == 0
}

func (a *agenda) Put(x int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	heap.Push(a.items, x)
}

func (a *agenda) Next() (int, error) {
	if a.empty() {
		return 0, errEmpty
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return heap.Pop(a.items).(int), nil // want `agenda.items|items decides`
}

// Looked at again under the lock of the pop.
func (a *agenda) TryNext() (int, error) {
	if a.empty() {
		return 0, errEmpty
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.items.Len() == 0 {
		return 0, errEmpty
	}
	return heap.Pop(a.items).(int), nil
}

type backlog struct {
	mu sync.Mutex
	l  *list.List
}

func (b *backlog) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.l.Len()
}

func (b *backlog) Shift() any {
	if b.Len() > 0 {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.l.Remove(b.l.Front()) // want `l decides`
	}
	return nil
}

func (b *backlog) TryShift() any {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.l.Len() == 0 {
		return nil
	}
	return b.l.Remove(b.l.Front())
}

// The first is looked at again.
func (b *backlog) Drop() {
	if b.Len() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.l.Front(); e != nil {
		b.l.Remove(e)
	}
}

// One goroutine takes out, and whoever adds takes nothing from it.
type alarms struct {
	mu    sync.Mutex
	items *due
}

func StartAlarms(ring func(int)) *alarms {
	a := &alarms{items: &due{}}
	go a.run(ring)
	return a
}

func (a *alarms) Put(x int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	heap.Push(a.items, x)
}

func (a *alarms) size() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.items.Len()
}

func (a *alarms) run(ring func(int)) {
	for {
		if a.size() == 0 {
			time.Sleep(time.Second)
			continue
		}
		a.mu.Lock()
		x := heap.Pop(a.items).(int)
		a.mu.Unlock()
		ring(x)
	}
}
