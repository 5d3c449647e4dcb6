package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/fault"
	"github.com/ccheck/ccheck/probes/history"
)

const (
	// defaultConns bounds the clients of a proxy.
	defaultConns = 10_000
	// startLimit is how long a client may take to say who it is, as the server's
	// authentication_timeout.
	startLimit = time.Minute
)

// Config says where a proxy listens and what it does with what passes. Upstream
// is needed, everything else has a good zero value.
type Config struct {
	// Upstream is the server: host, port and the ways of sslmode. User, password
	// and database are not looked at: the client brings them.
	Upstream *pgconn.Config
	// Address is where clients connect, "127.0.0.1:0" when empty.
	Address string
	// TLS is offered to clients that ask for it; nil says no to them, as a server
	// without a certificate does. SelfSigned makes one.
	TLS *tls.Config
	// Gate holds batches and lets them go; nil lets everything through.
	Gate Gate
	// Passing says that the Gate only looks: it never waits and refuses no batch.
	// Then its connections cost no more than those without one.
	Passing bool
	// History records every statement; nil records nothing.
	History *history.Writer
	// FirstProcess is the lowest process number of connections in the history; a
	// number is used again when its connection has ended.
	FirstProcess int
	// Faults break connections; nil breaks none.
	Faults *fault.Plan
	// Limits bound what is kept of an answer.
	Limits Limits
	// MaxConns bounds the clients, 0 is 10000.
	MaxConns int
	// Say takes what went wrong on a connection, one sentence a call; nil drops it.
	Say func(string)
}

// Limits bound what a gate and the history get of an answer. Zero values are
// those of the history.
type Limits struct {
	Rows  int // rows of one result
	Bytes int // of values of one result; rows beyond are counted only
}

// Proxy is a running proxy.
type Proxy struct {
	cfg      Config
	listener net.Listener
	upstream upstream
	tape     *tape
	engine   *engine // nil where the system has none
	ctx      context.Context
	cancel   context.CancelCauseFunc
	served   sync.WaitGroup
	nextID   atomic.Int64
	ended    chan struct{}

	mu    sync.Mutex
	conns map[*Conn]struct{}
}

// errClosed is why connections end when the proxy does.
var errClosed = errors.New("the proxy was closed")

// Listen starts a proxy. It serves until the context ends or Close is called.
func Listen(ctx context.Context, cfg Config) (*Proxy, error) {
	if cfg.Upstream == nil {
		return nil, errors.New("starting the proxy: no server is named")
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", cfg.address())
	if err != nil {
		return nil, fmt.Errorf("starting the proxy: %w", err)
	}
	p := &Proxy{cfg: cfg.withDefaults(), listener: l, upstream: newUpstream(cfg.Upstream), conns: map[*Conn]struct{}{}, ended: make(chan struct{})}
	p.tape = newTape(cfg.History, cfg.FirstProcess)
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	p.engine = newEngine()
	p.served.Add(1)
	go p.accept()
	context.AfterFunc(p.ctx, p.hangUp)
	return p, nil
}

func (cfg Config) address() string {
	if cfg.Address == "" {
		return "127.0.0.1:0"
	}
	return cfg.Address
}

func (cfg Config) withDefaults() Config {
	if cfg.MaxConns == 0 {
		cfg.MaxConns = defaultConns
	}
	if cfg.Limits.Rows == 0 {
		cfg.Limits.Rows = history.MaxRows
	}
	if cfg.Limits.Bytes == 0 {
		cfg.Limits.Bytes = history.MaxRows * history.MaxValue
	}
	if cfg.Say == nil {
		cfg.Say = func(string) {}
	}
	return cfg
}

// watched reports whether somebody wants to know what passes.
func (cfg Config) watched() bool {
	return cfg.Gate != nil || cfg.History != nil || cfg.Faults != nil
}

// waits reports whether something may make a direction wait for more than bytes.
func (cfg Config) waits() bool {
	return cfg.Gate != nil && !cfg.Passing || cfg.Faults != nil
}

// Addr is where the proxy listens.
func (p *Proxy) Addr() *net.TCPAddr { return p.listener.Addr().(*net.TCPAddr) }

// DSN is a URL of the proxy, with user, password and database of the server's
// configuration.
func (p *Proxy) DSN() string {
	cfg := p.cfg.Upstream
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(cfg.User, cfg.Password), Host: p.Addr().String(),
		Path: "/" + cfg.Database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Close ends all connections and waits until the last event is recorded.
// Batches that are on their way have an unknown outcome.
func (p *Proxy) Close() error {
	p.cancel(errClosed)
	<-p.ended
	return p.tape.flush()
}

// hangUp ends the listener and all connections, and at last the engine.
func (p *Proxy) hangUp() {
	defer close(p.ended)
	p.listener.Close()
	for _, c := range p.open() {
		c.end(context.Cause(p.ctx))
	}
	p.served.Wait()
	p.engine.close()
}

func (p *Proxy) open() []*Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.conns))
}

func (p *Proxy) accept() {
	defer p.served.Done()
	for {
		nc, err := p.listener.Accept()
		switch {
		case err == nil:
			p.served.Add(1)
			go p.serve(nc)
		case p.ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			return
		default: // no file descriptor left: those that are open live on
			p.cfg.Say(fmt.Sprintf("a client could not be accepted: %v", err))
			sleep(p.ctx, 50*time.Millisecond)
		}
	}
}

// serve takes one client from its first byte to its end.
func (p *Proxy) serve(nc net.Conn) {
	defer p.served.Done()
	defer nc.Close()
	c := newConn(p, nc)
	if !p.admit(c) {
		c.refuse("53300", "sorry, too many clients already", fmt.Sprintf("The proxy of ccheck serves at most %d.", p.cfg.MaxConns))
		return
	}
	defer p.dismiss(c)
	if err := c.run(); err != nil && p.ctx.Err() == nil {
		p.cfg.Say(fmt.Sprintf("connection %d from %s: %v", c.ID, nc.RemoteAddr(), err))
	}
}

func (p *Proxy) admit(c *Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.conns) >= p.cfg.MaxConns || p.ctx.Err() != nil {
		return false
	}
	p.conns[c] = struct{}{}
	return true
}

func (p *Proxy) dismiss(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

// sleep waits, and reports false when the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
