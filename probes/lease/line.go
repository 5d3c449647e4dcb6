package lease

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"sync"
	"time"
)

// Line is an owner's way to the network, which can be cut off and cut. Cut off,
// nothing gets through in either direction and nobody is told, as in a
// partition; when it is joined again, what waited goes through. Cut, the
// connections are reset, as those of a process that is killed.
type Line struct {
	mu    sync.Mutex
	conns []*lineConn
	join  chan struct{} // closed when it is joined again; nil while it is
}

// Dial is the owner's.
func (l *Line) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := l.wait(ctx.Done(), nil, time.Time{}); err != nil {
		return nil, err
	}
	n, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &lineConn{Conn: n, line: l, closed: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, c)
	return c, nil
}

// CutOff lets nothing through any more.
func (l *Line) CutOff() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.join == nil {
		l.join = make(chan struct{})
	}
}

// Join ends CutOff. What was closed meanwhile is reset now: the other side hears
// of it only when the network is back.
func (l *Line) Join() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.join == nil {
		return
	}
	close(l.join)
	l.join = nil
	for _, c := range l.conns {
		if c.isClosed() {
			c.reset()
		}
	}
	l.conns = slices.DeleteFunc(l.conns, (*lineConn).isClosed)
}

// Cut resets all connections.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		c.once.Do(func() { close(c.closed) })
		c.reset()
	}
	l.conns = nil
}

// wait returns when the line is joined, or an error when something else ends
// the wait.
func (l *Line) wait(done, closed <-chan struct{}, deadline time.Time) error {
	l.mu.Lock()
	join := l.join
	l.mu.Unlock()
	if join == nil {
		return nil
	}
	var late <-chan time.Time
	if !deadline.IsZero() {
		t := time.NewTimer(time.Until(deadline))
		defer t.Stop()
		late = t.C
	}
	select {
	case <-join:
		return nil
	case <-late:
		return os.ErrDeadlineExceeded
	case <-closed:
		return net.ErrClosed
	case <-done:
		return errors.New("the network is cut off")
	}
}

// lineConn is a connection over a line.
type lineConn struct {
	net.Conn
	line   *Line
	once   sync.Once
	closed chan struct{}

	mu       sync.Mutex
	deadline time.Time
}

func (c *lineConn) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

// reset closes the connection without a goodbye (RST).
func (c *lineConn) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Conn.Close()
}

func (c *lineConn) wait() error {
	c.mu.Lock()
	deadline := c.deadline
	c.mu.Unlock()
	return c.line.wait(nil, c.closed, deadline)
}

func (c *lineConn) Write(b []byte) (int, error) {
	if err := c.wait(); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// Read hands over what has come only while the line is joined.
func (c *lineConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if wait := c.wait(); wait != nil {
		return 0, wait
	}
	return n, err
}

func (c *lineConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	c.deadline = t
	c.mu.Unlock()
	return c.Conn.SetDeadline(t)
}

// Close leaves the connection as it is while the line is cut off: no goodbye
// would arrive.
func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	c.line.mu.Lock()
	defer c.line.mu.Unlock()
	if c.line.join != nil {
		return nil
	}
	c.line.conns = slices.DeleteFunc(c.line.conns, func(o *lineConn) bool { return o == c })
	return c.Conn.Close()
}
