package lease

import (
	"context"
	"sync"
)

// Gate holds back one request of a call, as a process does that is paused right
// before it sends: everything before that request has happened, nothing from it
// on. It makes the classic run of a late writer repeatable, between any two
// requests of a call.
type Gate struct {
	at   int
	held chan struct{}
	open chan struct{}

	mu   sync.Mutex
	seen int
}

// NewGate holds the request of that number, from 1.
func NewGate(at int) *Gate {
	return &Gate{at: at, held: make(chan struct{}), open: make(chan struct{})}
}

// Held is closed when the request waits at the gate.
func (g *Gate) Held() <-chan struct{} { return g.held }

// Open lets it go.
func (g *Gate) Open() { close(g.open) }

type gateKey struct{}

// With returns a context whose calls pass the gate.
func (g *Gate) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, gateKey{}, g)
}

// Pass is called by the transport of a Client before it sends a request. It
// waits while the gate of ctx holds this one.
func Pass(ctx context.Context) error {
	g, ok := ctx.Value(gateKey{}).(*Gate)
	if !ok {
		return nil
	}
	g.mu.Lock()
	g.seen++
	hold := g.seen == g.at
	g.mu.Unlock()
	if !hold {
		return nil
	}
	close(g.held)
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
