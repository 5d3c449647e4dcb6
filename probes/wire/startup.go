package wire

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

const (
	// maxStartup is MAX_STARTUP_PACKET_LENGTH.
	maxStartup = 10_000
	// alpn is the protocol that a client names which starts with TLS at once
	// (sslnegotiation=direct, PostgreSQL 17).
	alpn = "postgresql"
	// recordTLS is the first byte of a TLS handshake; a start-up packet begins
	// with a zero.
	recordTLS = 0x16
)

// alertNoProtocol is a fatal TLS alert: no_application_protocol (RFC 7301).
var alertNoProtocol = []byte{0x15, 3, 3, 0, 2, 2, 120}

var (
	errNotPostgres = errors.New("what the client sends is not PostgreSQL's protocol")
	errDirectTLS   = errors.New("the client starts with TLS at once (sslnegotiation=direct), which the proxy does not offer: use sslmode=disable or sslnegotiation=postgres")
)

// hello is what a client says first.
type hello struct {
	packet      []byte // as it came, with its length
	code        uint32
	user        string
	database    string
	application string
	replication bool
}

// greet reads the first packets of a client and answers those about
// encryption. It returns the connection that the client goes on with.
func (p *Proxy) greet(nc net.Conn) (net.Conn, *hello, error) {
	conn, err := p.direct(nc)
	if err != nil {
		return nc, nil, err
	}
	// A client that asks for GSS, is told no, asks for TLS and then starts has
	// sent three packets; one that goes on asking is no client.
	for range 4 {
		packet, err := readPacket(conn)
		if err != nil {
			return conn, nil, err
		}
		switch code := binary.BigEndian.Uint32(packet[4:]); {
		case code == codeGSS || code == codeTLS && (p.cfg.TLS == nil || isTLS(conn)):
			_, err = conn.Write([]byte{'N'})
		case code == codeTLS:
			conn, err = p.secure(conn)
		default:
			h, err := readHello(packet, code)
			return unwrap(conn), h, err
		}
		if err != nil {
			return conn, nil, err
		}
	}
	return conn, nil, errNotPostgres
}

// peeked is a connection whose first bytes were looked at.
type peeked struct {
	net.Conn
	in *bufio.Reader
}

func (c *peeked) Read(b []byte) (int, error) {
	if c.in.Buffered() > 0 {
		return c.in.Read(b)
	}
	return c.Conn.Read(b)
}

// unwrap returns the connection itself when nothing is left of what was peeked.
func unwrap(nc net.Conn) net.Conn {
	if c, ok := nc.(*peeked); ok && c.in.Buffered() == 0 {
		return c.Conn
	}
	return nc
}

// direct handles a client that starts with TLS at once.
func (p *Proxy) direct(nc net.Conn) (net.Conn, error) {
	in := bufio.NewReaderSize(nc, 16)
	first, err := in.Peek(1)
	if err != nil {
		return nc, fmt.Errorf("reading the first packet: %w", err)
	}
	conn := &peeked{nc, in}
	switch {
	case first[0] != recordTLS:
		return conn, nil
	case p.cfg.TLS == nil:
		_, _ = nc.Write(alertNoProtocol)
		return nc, errDirectTLS
	}
	secure := tls.Server(conn, p.cfg.TLS)
	if err := secure.HandshakeContext(p.ctx); err != nil {
		return nc, fmt.Errorf("TLS with the client: %w", err)
	}
	if secure.ConnectionState().NegotiatedProtocol != alpn {
		return secure, errNotPostgres
	}
	return secure, nil
}

// secure answers SSLRequest with yes. What the client sent behind the request
// in clear would be taken for what it says in secret (CVE-2021-23214).
func (p *Proxy) secure(conn net.Conn) (net.Conn, error) {
	if c, ok := conn.(*peeked); ok && c.in.Buffered() > 0 {
		return conn, errors.New("the client sent data in clear behind its request for TLS")
	}
	if _, err := conn.Write([]byte{'S'}); err != nil {
		return conn, err
	}
	secure := tls.Server(conn, p.cfg.TLS)
	if err := secure.HandshakeContext(p.ctx); err != nil {
		return conn, fmt.Errorf("TLS with the client: %w", err)
	}
	return secure, nil
}

func isTLS(nc net.Conn) bool {
	_, ok := nc.(*tls.Conn)
	return ok
}

// readPacket reads one packet of the start: a length and a body, without a type.
func readPacket(r io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, fmt.Errorf("reading the first packet: %w", err)
	}
	size := binary.BigEndian.Uint32(length[:])
	if size < 8 || size > maxStartup {
		return nil, errNotPostgres
	}
	packet := make([]byte, size)
	copy(packet, length[:])
	if _, err := io.ReadFull(r, packet[4:]); err != nil {
		return nil, fmt.Errorf("reading the first packet: %w", err)
	}
	return packet, nil
}

// readHello takes the parameters out of a StartupMessage. Any version is let
// through: the server negotiates.
func readHello(packet []byte, code uint32) (*hello, error) {
	h := &hello{packet: packet, code: code}
	if code == codeCancel {
		return h, nil
	}
	if code>>16 != 3 {
		return nil, errNotPostgres
	}
	r := fields{b: packet[8:]}
	for {
		name := r.text()
		if len(name) == 0 {
			break
		}
		h.set(string(name), r.text())
	}
	if r.short {
		return nil, errNotPostgres
	}
	if h.database == "" {
		h.database = h.user
	}
	return h, nil
}

func (h *hello) set(name string, value []byte) {
	switch name {
	case "user":
		h.user = string(value)
	case "database":
		h.database = string(value)
	case "application_name":
		h.application = string(value)
	case "replication":
		// As in the server: a boolean, or "database".
		off := [][]byte{[]byte("false"), []byte("off"), []byte("no"), []byte("0"), []byte("f"), []byte("n")}
		h.replication = true
		for _, word := range off {
			h.replication = h.replication && !bytes.EqualFold(word, value)
		}
	}
}
