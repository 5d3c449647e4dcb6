package leader

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"

	"github.com/ccheck/ccheck/probes/lease"
)

// relay is the way of one process to one server, over the process's line.
type relay struct {
	listener net.Listener
	line     *lease.Line
	to       string
	work     sync.WaitGroup
	ctx      context.Context
	cancel   context.CancelFunc
}

func newRelay(line *lease.Line, to string) (*relay, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for an instance: %w", err)
	}
	r := &relay{listener: l, line: line, to: to}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.work.Go(r.accept)
	return r, nil
}

func (r *relay) address() string { return r.listener.Addr().String() }

func (r *relay) accept() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return // it was closed
		}
		r.work.Go(func() { r.pass(c.(*net.TCPConn)) })
	}
}

// pass copies both ways until one side ends. A server that resets its connection,
// as the line does, has the process's reset.
func (r *relay) pass(c *net.TCPConn) {
	defer c.Close()
	up, err := r.line.Dial(r.ctx, "tcp", r.to)
	if err != nil {
		return
	}
	stop := context.AfterFunc(r.ctx, func() { c.Close(); up.Close() })
	defer stop()
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(up, c)
		up.Close()
	})
	both.Go(func() {
		if _, err := io.Copy(c, up); err != nil {
			_ = c.SetLinger(0)
		}
		c.Close()
	})
	both.Wait()
}

func (r *relay) close() {
	r.cancel()
	r.listener.Close()
	r.work.Wait()
}

// Through is a variable with the URL of a server that instances reach through
// ccheck, so that they can be cut off from it.
type Through struct {
	Name string
	url  *url.URL
}

// NewThrough reads the URL, which names one host and a port.
func NewThrough(name, value string) (Through, error) {
	u, err := url.Parse(value)
	hint := "it looks like postgres://user:password@host:5432/db or redis://host:6379"
	switch {
	case value == "":
		return Through{}, &lease.SetupError{Msg: fmt.Sprintf("the variable %s is not set", name), Hint: "set it to the URL of a server; " + hint}
	case err != nil || u.Host == "" || strings.Contains(u.Host, ","):
		return Through{}, &lease.SetupError{Msg: fmt.Sprintf("the variable %s has no URL of one server", name), Hint: hint}
	case u.Port() == "":
		return Through{}, &lease.SetupError{Msg: fmt.Sprintf("the URL in %s has no port", name), Hint: hint}
	}
	return Through{Name: name, url: u}, nil
}

// over is the variable with another address.
func (t Through) over(address string) string {
	u := *t.url
	u.Host = address
	return t.Name + "=" + u.String()
}
