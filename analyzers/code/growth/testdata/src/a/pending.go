package a

import (
	"context"
	"sync"
)

type wire interface {
	Send(to string, id uint64, body []byte) error
	WriteMsg(body []byte) error
}

type answer struct {
	ID   uint64
	Body []byte
}

// Requests that nobody answers.

type asker struct {
	mu    sync.Mutex
	next  uint64
	out   wire
	calls map[uint64]chan answer
	waits map[string]*waiting
}

type waiting struct {
	peer string
	then func([]byte)
}

func (a *asker) Ask(to string, body []byte) (<-chan answer, error) {
	ch := make(chan answer, 1)
	a.mu.Lock()
	a.next++
	id := a.next
	a.calls[id] = ch // want `the field calls keeps each request until its answer comes`
	a.mu.Unlock()
	return ch, a.out.Send(to, id, body)
}

func (a *asker) OnAnswer(r answer) {
	a.mu.Lock()
	ch := a.calls[r.ID]
	delete(a.calls, r.ID)
	a.mu.Unlock()
	if ch != nil {
		ch <- r
	}
}

func (a *asker) Then(key string, body []byte, then func([]byte)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waits[key] = &waiting{key, then} // want `the field waits keeps each request until its answer comes`
	return a.out.WriteMsg(body)
}

func (a *asker) Reply(key string, body []byte) {
	a.mu.Lock()
	w, ok := a.waits[key]
	delete(a.waits, key)
	a.mu.Unlock()
	if ok {
		w.then(body)
	}
}

// Near misses: the asker forgets when its context ends; the end of the connection
// clears all; a registry, which each takes itself out of.

type patient struct {
	mu    sync.Mutex
	next  uint64
	out   wire
	calls map[uint64]chan answer
	sent  map[uint64]chan answer
	subs  map[string]func([]byte)
}

func (p *patient) Ask(ctx context.Context, to string, body []byte) (r answer, err error) {
	ch := make(chan answer, 1)
	p.mu.Lock()
	p.next++
	id := p.next
	p.calls[id] = ch
	p.mu.Unlock()
	defer p.forget(id)
	if err := p.out.Send(to, id, body); err != nil {
		return r, err
	}
	select {
	case r = <-ch:
		return r, nil
	case <-ctx.Done():
		return r, ctx.Err()
	}
}

func (p *patient) forget(id uint64) chan answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	ch := p.calls[id]
	delete(p.calls, id)
	return ch
}

func (p *patient) OnAnswer(r answer) {
	if ch := p.forget(r.ID); ch != nil {
		ch <- r
	}
}

func (p *patient) Post(to string, body []byte) (<-chan answer, error) {
	ch := make(chan answer, 1)
	p.mu.Lock()
	p.next++
	id := p.next
	p.sent[id] = ch
	p.mu.Unlock()
	return ch, p.out.Send(to, id, body)
}

func (p *patient) Posted(r answer) {
	p.mu.Lock()
	ch := p.sent[r.ID]
	delete(p.sent, r.ID)
	p.mu.Unlock()
	if ch != nil {
		ch <- r
	}
}

func (p *patient) Closed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, ch := range p.sent {
		close(ch)
		delete(p.sent, id)
	}
}

func (p *patient) Subscribe(topic string, f func([]byte)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.subs[topic] = f
	return p.out.WriteMsg([]byte(topic))
}

func (p *patient) Unsubscribe(topic string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.subs, topic)
}
