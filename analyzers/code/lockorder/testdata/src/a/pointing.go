package a

import (
	"fmt"
	"sync"
)

type hearer interface{ heard(string) }

type radio struct {
	mu    sync.RWMutex
	on    map[string]hearer
	heard int
}

func (r *radio) tune(name string, l hearer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on[name] = l
}

func (r *radio) drop(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.on, name)
}

func (r *radio) say(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.on {
		l.heard(text) // want `deadlock: a.radio.mu is taken by a callback while its caller holds it already`
	}
}

type onceOnly struct {
	name  string
	radio *radio
}

func newOnce(r *radio, name string) *onceOnly {
	return &onceOnly{name: name, radio: r}
}

func (o *onceOnly) heard(text string) {
	fmt.Println(text)
	o.radio.drop(o.name)
}

func once(r *radio, name string) { r.tune(name, newOnce(r, name)) }

// What hears of one speaks to another.
type speaker interface{ spoken(string) }

type studio struct {
	mu   sync.Mutex
	ears []speaker
}

func (s *studio) add(e speaker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ears = append(s.ears, e)
}

func (s *studio) speak(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.ears {
		e.spoken(text)
	}
}

type echo struct{ next *studio }

func (r *echo) spoken(text string) { r.next.speak(text) }

func chained(first, second *studio) { first.add(&echo{next: second}) }

// One that goes on in a goroutine.
type late interface{ later() }

type clockwork struct {
	mu   sync.Mutex
	ends []late
}

func (c *clockwork) add(l late) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ends = append(c.ends, l)
}

func (c *clockwork) strike() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.ends {
		l.later()
	}
}

type again struct{ c *clockwork }

func (a *again) later() { go a.c.add(a) }

func wind(c *clockwork) { c.add(&again{c}) }
