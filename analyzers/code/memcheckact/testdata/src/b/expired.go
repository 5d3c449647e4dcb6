package b

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

type lease struct {
	until time.Time
	uses  int
}

type leases struct {
	mu      sync.Mutex
	byOwner map[string]lease
	ended   atomic.Int64
	onEnd   func(string)
	clock   func() time.Time
}

func (l *leases) touch(owner string) lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	v, ok := l.byOwner[owner]
	if !ok {
		v = lease{until: l.clock().Add(time.Minute)}
	}
	v.uses++
	l.byOwner[owner] = v
	return v
}

// End judges the lease, and deletes what is there by then.
func (l *leases) End(owner string) bool {
	v := l.touch(owner)
	if v.until.After(l.clock()) {
		return false
	}
	l.mu.Lock()
	delete(l.byOwner, owner) // want `taken twice: leases.byOwner is looked up, deleted and used`
	l.mu.Unlock()
	l.onEnd(owner)
	return true
}

// Drop does no more than delete what has expired.
func (l *leases) Drop(owner string) {
	v := l.touch(owner)
	if v.until.After(l.clock()) {
		return
	}
	l.mu.Lock()
	delete(l.byOwner, owner)
	l.mu.Unlock()
}

// Once holds the lock from the one to the other.
func (l *leases) Once(owner string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.byOwner[owner]
	v.uses++
	l.byOwner[owner] = v
	if v.until.After(l.clock()) {
		return false
	}
	delete(l.byOwner, owner)
	l.ended.Add(1)
	return true
}

// Keys that a value spells.

type peers struct {
	mu sync.RWMutex
	m  map[string]net.Conn
}

func (p *peers) has(k string) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	_, ok := p.m[k]
	return ok
}

func (p *peers) set(k string, c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.m[k] = c
}

func (p *peers) Admit(from netip.Addr, c net.Conn) bool {
	if p.has(from.String()) {
		return false
	}
	p.set(from.String(), c) // want `check then act: peers.m has no entry, and one is stored`
	return true
}

// Other asks for one name and stores another.
func (p *peers) Other(from, to netip.Addr, c net.Conn) bool {
	if p.has(from.String()) {
		return false
	}
	p.set(to.String(), c)
	return true
}

// Connections that somebody wraps.

type proxy interface{ Close() error }

type proxies struct {
	m    sync.Map
	wrap func(net.Conn) proxy
	load func(string) proxy
}

func (p *proxies) Get(addr string) (proxy, error) {
	if v, ok := p.m.Load(addr); ok {
		return v.(proxy), nil
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	made := p.wrap(conn)
	p.m.Store(addr, made) // want `check then act`
	return made, nil
}

// Known asks a source that gives the same to everybody.
func (p *proxies) Known(addr string) proxy {
	if v, ok := p.m.Load(addr); ok {
		return v.(proxy)
	}
	made := p.load(addr)
	p.m.Store(addr, made)
	return made
}
