package fix

import "sync"

type item struct{ n int }

type Lazy struct{ m sync.Map }

func (l *Lazy) Get(k string) *item {
	if v, ok := l.m.Load(k); ok {
		return v.(*item)
	}
	it := &item{}
	l.m.Store(k, it) // want `check then act`
	return it
}

// Something happens in between: no edit.
func (l *Lazy) Other(k string) *item {
	if v, ok := l.m.Load(k); ok {
		return v.(*item)
	}
	it := &item{}
	l.m.Store(k, it) // want `check then act`
	it.n++
	return it
}
