package a

import (
	"context"
	"sync"
	"time"
)

type Guest struct{ Name, Room string }

// House gives each guest one number, in two steps.
type House struct {
	mu     sync.RWMutex
	last   int
	guests map[int]*Guest
}

func (h *House) find(name string) (int, bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for n, g := range h.guests {
		if g.Name == name {
			return n, true
		}
	}
	return 0, false
}

func (h *House) put(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	h.guests[h.last] = &Guest{Name: name}
	return h.last
}

func (h *House) Enter(name string) int {
	if n, ok := h.find(name); ok {
		return n
	}
	return h.put(name) // want `check then act: House.guests has no entry`
}

func (h *House) Come(name string) {
	h.mu.RLock()
	for _, g := range h.guests {
		if g.Name != name {
			continue
		}
		h.mu.RUnlock()
		return
	}
	h.mu.RUnlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	h.guests[h.last] = &Guest{Name: name, Room: "attic"} // want `check then act: House.guests has no entry`
}

// Grant is renewed with a token that can be used once.
type Grant struct {
	Access, RefreshToken string
	Until                time.Time
}

type Granted struct {
	mu     sync.RWMutex
	grant  Grant
	client interface {
		Renew(ctx context.Context, token string) (Grant, error)
	}
}

func (g *Granted) Access(ctx context.Context, renew func(context.Context, string) (Grant, error)) (string, error) {
	g.mu.RLock()
	now := g.grant
	g.mu.RUnlock()
	if now.Until.After(time.Now()) {
		return now.Access, nil
	}
	next, err := renew(ctx, now.RefreshToken)
	if err != nil {
		return "", err
	}
	g.mu.Lock()
	g.grant = next // want `check then act: Granted.grant decides`
	g.mu.Unlock()
	return next.Access, nil
}
