package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// dialLimit is used when the configuration names no connect_timeout.
const dialLimit = 10 * time.Second

// The codes that stand in place of a protocol version ("Message Formats").
const (
	codeCancel = 80877102
	codeTLS    = 80877103
	codeGSS    = 80877104
)

// upstream is the server behind a proxy, with the ways that sslmode allows.
type upstream struct {
	ways []way
	dial pgconn.DialFunc
	wait time.Duration
}

type way struct {
	network, address string
	tls              *tls.Config // nil is plain
}

func newUpstream(cfg *pgconn.Config) upstream {
	u := upstream{dial: cfg.DialFunc, wait: cfg.ConnectTimeout}
	if u.dial == nil {
		u.dial = (&net.Dialer{}).DialContext
	}
	if u.wait == 0 {
		u.wait = dialLimit
	}
	all := append([]*pgconn.FallbackConfig{{Host: cfg.Host, Port: cfg.Port, TLSConfig: cfg.TLSConfig}}, cfg.Fallbacks...)
	for _, f := range all {
		network, address := pgconn.NetworkAddress(f.Host, f.Port)
		u.ways = append(u.ways, way{network, address, f.TLSConfig})
	}
	return u
}

// connect opens a connection by the first way that works.
func (u upstream) connect(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, u.wait)
	defer cancel()
	var errs []error
	for _, w := range u.ways {
		nc, err := u.try(ctx, w)
		if err == nil {
			return nc, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// errNoTLS says that a server without TLS was asked for it.
var errNoTLS = errors.New("the server does not support TLS, which sslmode asks for")

func (u upstream) try(ctx context.Context, w way) (net.Conn, error) {
	nc, err := u.dial(ctx, w.network, w.address)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", w.address, err)
	}
	if w.tls == nil {
		return nc, nil
	}
	secure, err := askTLS(ctx, nc, w.tls)
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("connecting to %s: %w", w.address, err)
	}
	return secure, nil
}

// askTLS sends SSLRequest and shakes hands.
func askTLS(ctx context.Context, nc net.Conn, cfg *tls.Config) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok {
		_ = nc.SetDeadline(deadline)
		defer func() { _ = nc.SetDeadline(time.Time{}) }()
	}
	if _, err := nc.Write([]byte{0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f}); err != nil {
		return nil, err
	}
	var answer [1]byte // read alone: more would be unencrypted text that somebody put in between (CVE-2021-23222)
	if _, err := io.ReadFull(nc, answer[:]); err != nil {
		return nil, err
	}
	if answer[0] != 'S' {
		return nil, errNoTLS
	}
	secure := tls.Client(nc, cfg)
	return secure, secure.HandshakeContext(ctx)
}
