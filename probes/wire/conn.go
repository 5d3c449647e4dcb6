package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

const (
	// maxHeld is the size of a batch that can be held at the gate.
	maxHeld = 1 << 20
	// maxRow is the size of an answer's message that is looked at whole.
	maxRow = 64 << 10
)

// Conn is one client's connection. The exported fields do not change after Opened.
type Conn struct {
	ID          int    // from 0, never used again
	BackendPID  uint32 // process id of the server's backend
	User        string
	Database    string
	Application string // application_name at the start

	proxy   *Proxy
	raw     net.Conn // the client's socket, below TLS
	client  side
	server  side
	ctx     context.Context
	cancel  context.CancelCauseFunc
	unbound bool // the server offers channel binding and the client was not told
	key     []byte
	rate    int // bytes a second, 0 is any

	mu   sync.Mutex // guards the session and held
	held context.CancelCauseFunc
	session
}

// side is one of the two ends of a connection.
type side struct {
	nc   net.Conn
	in   *stream
	rate int
	mu   *sync.Mutex // held for a write
	ctx  context.Context
}

func newConn(p *Proxy, nc net.Conn) *Conn {
	c := &Conn{ID: int(p.nextID.Add(1) - 1), proxy: p, raw: nc, rate: p.cfg.Faults.Rate()}
	c.ctx, c.cancel = context.WithCancelCause(p.ctx)
	c.client = c.side(nc, maxHeld)
	c.idle = newIdle(c.ctx, &c.mu)
	return c
}

func (c *Conn) side(nc net.Conn, large int) side {
	return side{nc: nc, in: newStream(nc, large), rate: c.rate, mu: new(sync.Mutex), ctx: c.ctx}
}

// read returns the next frame of the start of a session, which must be a small one.
func (s *side) read() (frame, error) {
	for {
		f, ok, err := s.in.frame()
		if err == nil && s.in.rest > 0 {
			err = errFrame
		}
		if ok || err != nil {
			return f, err
		}
		if err := s.in.fill(); err != nil {
			return frame{}, err
		}
	}
}

// Write writes to the end, no faster than the rate allows.
func (s *side) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rate == 0 {
		return s.nc.Write(b)
	}
	// Twenty pieces a second are smooth enough for a client to notice nothing
	// but the rate.
	piece, done := max(s.rate/20, 1), 0
	for done < len(b) {
		n, err := s.nc.Write(b[done:min(done+piece, len(b))])
		done += n
		if err != nil {
			return done, err
		}
		if !sleep(s.ctx, time.Duration(n)*time.Second/time.Duration(s.rate)) {
			return done, context.Cause(s.ctx)
		}
	}
	return done, nil
}

// run serves the client to its end. The error is for people; the client has
// been told what it can be told.
func (c *Conn) run() error {
	defer c.end(nil)
	_ = c.client.nc.SetDeadline(time.Now().Add(startLimit))
	nc, h, err := c.proxy.greet(c.client.nc)
	if err != nil {
		return silent(err)
	}
	c.mu.Lock()
	c.client = c.side(nc, maxHeld)
	c.mu.Unlock()
	if h.code == codeCancel {
		return c.proxy.relayCancel(c.ctx, h.packet)
	}
	c.User, c.Database, c.Application = h.user, h.database, h.application
	if err := c.connect(h); err != nil {
		return err
	}
	_ = c.client.nc.SetDeadline(time.Time{})
	if h.replication || !c.proxy.cfg.watched() {
		return c.pass()
	}
	return c.watch()
}

// silent drops the error of a client that went away before it said anything, as
// port scanners and health checks do.
func silent(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// connect opens the session on the server.
func (c *Conn) connect(h *hello) error {
	nc, err := c.proxy.upstream.connect(c.ctx)
	if err != nil {
		c.refuse("08001", "the proxy of ccheck cannot reach the server: "+err.Error(), "Is the server running, and does it accept connections there?")
		return err
	}
	c.mu.Lock()
	c.server = c.side(nc, maxRow)
	c.mu.Unlock()
	_ = nc.SetDeadline(time.Now().Add(startLimit))
	defer func() { _ = nc.SetDeadline(time.Time{}) }()
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	if _, err := c.server.Write(h.packet); err != nil {
		return fmt.Errorf("sending the start-up packet: %w", err)
	}
	return c.authenticate()
}

// pass joins both sides and looks at nothing.
func (c *Conn) pass() error {
	front := func() error {
		err := c.client.in.pass(&c.server)
		if errors.Is(err, io.EOF) {
			return c.leave(err)
		}
		return err
	}
	return c.join(front, func() error { return c.server.in.pass(&c.client) })
}

// join runs both directions to their end: on the engine, where the system has
// one and nothing makes a direction wait for anything but bytes, else each in a
// goroutine.
func (c *Conn) join(front, back func() error) error {
	if e := c.proxy.engine; e != nil && !c.proxy.cfg.waits() {
		if done := e.join(c, front, back); done != nil {
			return reason(<-done)
		}
	}
	done := make(chan error, 1)
	go func() {
		err := front()
		if err != nil {
			c.end(err)
		}
		done <- err
	}()
	err := back()
	c.end(err)
	return reason(err, <-done)
}

// closeWrite tells the server that the client has gone, and lets what is on its
// way come.
func (c *Conn) closeWrite() {
	if half, ok := c.server.nc.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	c.server.nc.Close()
}

// watch follows the session.
func (c *Conn) watch() error {
	if g := c.proxy.cfg.Gate; g != nil {
		if err := g.Opened(c); err != nil {
			c.refuse(stateOf(err), err.Error(), "")
			return err
		}
		defer g.Closed(c)
	}
	c.begin()
	defer c.lose()
	if err := c.server.in.forward(&c.client); err != nil {
		return err
	}
	return c.join(c.front, c.back)
}

// reason is the error worth telling of the two directions' ends.
func reason(errs ...error) error {
	for _, err := range errs {
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
			return err
		}
	}
	return nil
}

// end closes both sides.
func (c *Conn) end(err error) {
	c.cancel(err)
	c.mu.Lock()
	sides := []net.Conn{c.raw, c.client.nc, c.server.nc}
	c.mu.Unlock()
	for _, nc := range sides {
		if nc != nil {
			nc.Close()
		}
	}
}

// refuse tells the client why it is not served.
func (c *Conn) refuse(state, message, hint string) {
	e := &pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: state, Message: message, Hint: hint}
	if b, err := e.Encode(nil); err == nil {
		_, _ = c.client.Write(b)
	}
}

// protest ends a client that does not keep to the protocol.
func (c *Conn) protest(err error) error {
	c.refuse("08P01", err.Error(), "")
	return err
}

// stateOf is the SQLSTATE of an error that a gate gives.
func stateOf(err error) string {
	var s interface{ SQLState() string }
	if errors.As(err, &s) && len(s.SQLState()) == 5 {
		return s.SQLState()
	}
	return "57014" // query_canceled
}
