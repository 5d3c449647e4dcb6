package a

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

type pod struct{ key string }

type pods struct {
	deleted sync.Map
	mu      sync.Mutex
	cache   map[string][]string
	recent  map[string]dated
	brief   map[string]dated
}

type dated struct {
	text string
	end  time.Time
}

// What is over never ends.
func (p *pods) Delete(one *pod) {
	p.deleted.Store(one.key, one) // want `the field deleted only grows: callers of this package add to it`
}

// Each name that somebody asks for stays.
func (p *pods) Resolve(ctx context.Context, name string) ([]string, error) {
	p.mu.Lock()
	found, ok := p.cache[name]
	p.mu.Unlock()
	if ok {
		return found, nil
	}
	found, err := net.DefaultResolver.LookupHost(ctx, name)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cache[name] = found // want `the field cache only grows: callers of this package add to it`
	return found, nil
}

func (p *pods) remember(key, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recent[key] = dated{text, time.Now().Add(time.Minute)} // want `the field recent only grows: HTTP handlers add to it, and what has expired is taken out only when the same key is asked for again`
}

func (p *pods) recall(key string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, ok := p.recent[key]
	if ok && time.Now().After(a.end) {
		delete(p.recent, key)
		return ""
	}
	return a.text
}

func (p *pods) visit(w http.ResponseWriter, r *http.Request) {
	p.remember(r.RemoteAddr, r.URL.Path)
	w.Write([]byte(p.recall(r.RemoteAddr)))
}

// Brief is swept as well.
func (p *pods) ask(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, ok := p.brief[r.RemoteAddr]
	if ok && time.Now().After(a.end) {
		delete(p.brief, r.RemoteAddr)
	}
	p.brief[r.RemoteAddr] = dated{r.URL.Path, time.Now().Add(time.Minute)}
}

func (p *pods) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, a := range p.brief {
		if time.Now().After(a.end) {
			delete(p.brief, k)
		}
	}
}

func podRoutes() {
	p := &pods{}
	http.HandleFunc("/visit", p.visit)
	http.HandleFunc("/ask", p.ask)
	time.AfterFunc(time.Minute, p.sweep)
}
