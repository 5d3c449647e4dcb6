package a

import (
	"context"
	"sync"
	"time"
)

type exchange func(ctx context.Context, refresh string) (access, next string, ttl time.Duration, err error)

type grantKeeper struct {
	mu              sync.RWMutex
	access, refresh string
	expires         time.Time
	exchange        exchange
}

func (g *grantKeeper) stale() bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return time.Until(g.expires) < time.Minute
}

func (g *grantKeeper) renew(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	access, next, ttl, err := g.exchange(ctx, g.refresh)
	if err != nil {
		return err
	}
	g.access, g.refresh, g.expires = access, next, time.Now().Add(ttl)
	return nil
}

func (g *grantKeeper) Ensure(ctx context.Context) error {
	if g.stale() {
		return g.renew(ctx) // want `expires decides, and is set later`
	}
	return nil
}

// In one function, which gives the token that is still good.
func (g *grantKeeper) Access(ctx context.Context) (string, error) {
	g.mu.RLock()
	access, expires := g.access, g.expires
	g.mu.RUnlock()
	if time.Now().Before(expires) {
		return access, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	access, next, ttl, err := g.exchange(ctx, g.refresh)
	if err != nil {
		return "", err
	}
	g.access, g.refresh = access, next
	g.expires = time.Now().Add(ttl) // want `expires decides, and is set later`
	return access, nil
}

// Looked at again under the lock.
func (g *grantKeeper) Fresh(ctx context.Context) error {
	if !g.stale() {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Until(g.expires) >= time.Minute {
		return nil
	}
	access, next, ttl, err := g.exchange(ctx, g.refresh)
	if err != nil {
		return err
	}
	g.access, g.refresh, g.expires = access, next, time.Now().Add(ttl)
	return nil
}

// A cache that asks by what it does not replace: two that fill it waste work.
type keySet struct {
	mu      sync.RWMutex
	url     string
	etag    string
	keys    []string
	expires time.Time
	fetch   func(ctx context.Context, url, etag string) (keys []string, next string, err error)
}

func (k *keySet) old() bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return time.Now().After(k.expires)
}

func (k *keySet) load(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	keys, etag, err := k.fetch(ctx, k.url, k.etag)
	if err != nil {
		return err
	}
	k.keys, k.etag, k.expires = keys, etag, time.Now().Add(time.Hour)
	return nil
}

func (k *keySet) Ensure(ctx context.Context) error {
	if k.old() {
		return k.load(ctx)
	}
	return nil
}
