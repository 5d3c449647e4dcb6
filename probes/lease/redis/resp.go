package redis

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// conn speaks RESP, the protocol of Redis, to one server: commands as arrays of
// bulk strings, one answer each. It is small because the probe needs no pool, no
// cluster and no subscription (decision 0016).
type conn struct {
	net net.Conn
	r   *bufio.Reader
	buf []byte
}

// Error is an answer that begins with a minus: "WRONGPASS invalid …".
type Error string

func (e Error) Error() string { return string(e) }

// Code is its first word.
func (e Error) Code() string {
	code, _, _ := strings.Cut(string(e), " ")
	return code
}

const (
	dialLimit = 5 * time.Second
	callLimit = 10 * time.Second // of a call without a deadline
	maxBulk   = 64 << 20
)

// dialer connects to an address.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// plain is the network as it is.
var plain dialer = (&net.Dialer{}).DialContext

// dial connects and logs in. A redis:// URL is in the clear, rediss:// by TLS.
func dial(ctx context.Context, network dialer, u *url.URL) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "6379")
	}
	n, err := network(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "rediss" {
		n = tls.Client(n, &tls.Config{ServerName: u.Hostname()})
	}
	c := &conn{net: n, r: bufio.NewReader(n)}
	if err := c.login(ctx, u); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return c, nil
}

func (c *conn) login(ctx context.Context, u *url.URL) error {
	if password, ok := u.User.Password(); ok {
		auth := []string{"AUTH", password}
		if name := u.User.Username(); name != "" {
			auth = []string{"AUTH", name, password}
		}
		if _, err := c.do(ctx, auth...); err != nil {
			return err
		}
	}
	if db := strings.Trim(u.Path, "/"); db != "" && db != "0" {
		if _, err := c.do(ctx, "SELECT", db); err != nil {
			return err
		}
	}
	return nil
}

// do sends a command and reads its answer: a string, an int64, nil, or a list
// of such. An answer that is an error comes back as an Error.
func (c *conn) do(ctx context.Context, args ...string) (any, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(callLimit)
	}
	if err := c.net.SetDeadline(deadline); err != nil {
		return nil, err
	}
	c.buf = encode(c.buf[:0], args)
	if _, err := c.net.Write(c.buf); err != nil {
		return nil, err
	}
	return decode(c.r, 0)
}

func encode(b []byte, args []string) []byte {
	b = strconv.AppendInt(append(b, '*'), int64(len(args)), 10)
	for _, a := range args {
		b = strconv.AppendInt(append(b, "\r\n$"...), int64(len(a)), 10)
		b = append(append(b, "\r\n"...), a...)
	}
	return append(b, "\r\n"...)
}

var errProtocol = errors.New("the answer is not of Redis' protocol")

// maxDepth bounds lists in lists, which an answer of ours never has.
const maxDepth = 8

// decode reads one answer of RESP 2.
func decode(r *bufio.Reader, depth int) (any, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(string(line), "\r\n")
	if len(text) == 0 || len(text) == len(line) || depth > maxDepth {
		return nil, errProtocol
	}
	kind, rest := text[0], text[1:]
	switch kind {
	case '+':
		return rest, nil
	case '-':
		return nil, Error(rest)
	}
	n, err := strconv.ParseInt(rest, 10, 64)
	if err != nil {
		return nil, errProtocol
	}
	switch {
	case kind == ':':
		return n, nil
	case kind == '$' && n == -1, kind == '*' && n == -1:
		return nil, nil
	case kind == '$' && n >= 0 && n <= maxBulk:
		return bulk(r, n)
	case kind == '*' && n >= 0 && n <= maxBulk:
		return list(r, n, depth)
	}
	return nil, errProtocol
}

// bulk reads a string of that length. The memory comes with the bytes: a length
// alone must not cost any.
func bulk(r *bufio.Reader, n int64) (any, error) {
	var b strings.Builder
	if _, err := io.CopyN(&b, r, n+2); err != nil {
		return nil, err
	}
	text, ok := strings.CutSuffix(b.String(), "\r\n")
	if !ok {
		return nil, errProtocol
	}
	return text, nil
}

func list(r *bufio.Reader, n int64, depth int) (any, error) {
	var all []any
	for range n {
		v, err := decode(r, depth+1)
		var e Error
		if err != nil && !errors.As(err, &e) {
			return nil, err
		}
		if err != nil {
			v = e
		}
		all = append(all, v)
	}
	return all, nil
}

// textOf is an answer as text, "" for nil.
func textOf(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
