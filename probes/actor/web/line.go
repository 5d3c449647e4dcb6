package web

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// line is a connection of one client on HTTP/1.1.
type line struct {
	conn    net.Conn
	in      *bufio.Reader
	timeout time.Duration
	req     *http.Request
	rest    []byte    // what is held back
	used    time.Time // when it was last heard of
	spent   bool
}

// together is what fits into one segment of the network, with room for its
// heads: a body of that size can be held back with the end of its header.
const together = 1200

func dialLine(ctx context.Context, target *url.URL, insecure bool, timeout time.Duration) (*line, error) {
	conn, err := dial(ctx, target, insecure, "http/1.1")
	if err != nil {
		return nil, err
	}
	return &line{conn: conn, in: bufio.NewReader(conn), timeout: timeout, used: time.Now()}, nil
}

// dial opens a connection to the host of a URL, with TLS when it is https.
func dial(ctx context.Context, target *url.URL, insecure bool, protocol string) (net.Conn, error) {
	port := target.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[target.Scheme]
	}
	if port == "" {
		port = "80"
	}
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(target.Hostname(), port))
	if err != nil {
		return nil, err
	}
	conn = quickly(conn)
	if target.Scheme != "https" {
		return conn, nil
	}
	secure := tls.Client(conn, &tls.Config{ServerName: target.Hostname(), InsecureSkipVerify: insecure, NextProtos: []string{protocol}}) // insecure is asked for, as with curl -k
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, fmt.Errorf("agreeing on TLS: %w", err)
	}
	return secure, nil
}

func (l *line) load(_ context.Context, _ int, req *http.Request, whole bool) error {
	if !l.alive() {
		return errSpent
	}
	var b bytes.Buffer
	if err := req.Write(&b); err != nil {
		return fmt.Errorf("writing the request: %w", err)
	}
	text := b.Bytes()
	cut := len(text) - 1
	if end := bytes.Index(text, []byte("\r\n\r\n")) + len("\r\n\r\n") - 1; whole && len(text)-end <= together {
		cut = end
	}
	l.req, l.rest = req, text[cut:]
	if err := l.conn.SetDeadline(time.Now().Add(l.timeout)); err != nil {
		return err
	}
	_, err := l.conn.Write(text[:cut])
	return err
}

// alive reports whether the application has left the connection open. What it
// sends before it was asked anything is the end, too, but for the tickets of TLS,
// which the look at it takes away.
func (l *line) alive() bool {
	if l.spent || time.Since(l.used) > idle || l.in.Buffered() > 0 {
		return false
	}
	// A read whose deadline is over before it begins does not look.
	wait := 2 * time.Millisecond
	switch yes, known := arrived(l.conn); {
	case known && !yes:
		return true
	case known:
		wait = 20 * time.Millisecond
	}
	if err := l.conn.SetReadDeadline(time.Now().Add(wait)); err != nil {
		return false
	}
	_, err := l.in.Peek(1)
	return errors.Is(err, os.ErrDeadlineExceeded)
}

func (l *line) held(int) []byte { return l.rest }

func (l *line) send(b []byte) error {
	if err := l.conn.SetDeadline(time.Now().Add(l.timeout)); err != nil {
		return err
	}
	_, err := l.conn.Write(b)
	return err
}

func (l *line) answer(int) (*http.Response, []byte, error) {
	res, err := http.ReadResponse(l.in, l.req)
	for err == nil && res.StatusCode < 200 { // 100 and 103 come before the answer
		res, err = http.ReadResponse(l.in, l.req)
	}
	if err != nil {
		l.spent = true
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	rest, _ := io.Copy(io.Discard, res.Body) // beyond the limit nothing is kept
	l.spent = l.spent || err != nil || res.Close || rest > 0
	l.used = time.Now()
	return res, body, err
}

func (l *line) close() { l.conn.Close() }
