package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"
)

// plus is the mechanism that binds SCRAM to the TLS connection. There are two
// such connections here, and a client's proof for one says nothing on the other.
const plus = "SCRAM-SHA-256-PLUS"

var errBinding = errors.New("SCRAM with channel binding cannot pass a proxy: the client was not offered it and suspects an attack; add channel_binding=disable to the application's connection string, or sslmode=disable")

// authenticate passes the start of a session between client and server, up to
// the first ReadyForQuery, which it leaves in the server's stream unforwarded.
// It returns an error after the client has been told.
func (c *Conn) authenticate() error {
	for {
		f, err := c.server.read()
		if err != nil {
			return fmt.Errorf("the server ended the connection during the start: %w", err)
		}
		switch f.kind {
		case 'Z':
			c.tx = statusOf(f.body)
			return nil
		case 'K':
			c.keepKey(f.body)
		case 'R':
			if err := c.challenge(f); err != nil {
				return err
			}
			continue
		}
		if err := c.server.in.forward(&c.client); err != nil {
			return err
		}
		if f.kind == 'E' {
			return errRefused
		}
	}
}

// errRefused says that the server has told the client what is wrong.
var errRefused = errors.New("the server refused the connection")

// challenge passes an authentication request on, and the client's response when
// it asks for one.
func (c *Conn) challenge(f frame) error {
	r := fields{b: f.body}
	kind := r.int32()
	if kind == pgproto3.AuthTypeSASL && bytes.Contains(f.body, []byte(plus)) {
		c.server.in.skip()
		c.unbound = true
		if _, err := c.client.Write(withoutPlus(r.b)); err != nil {
			return err
		}
	} else if err := c.server.in.forward(&c.client); err != nil {
		return err
	}
	if kind == pgproto3.AuthTypeOk || kind == pgproto3.AuthTypeSASLFinal {
		return nil
	}
	return c.respond(kind == pgproto3.AuthTypeSASL)
}

// respond passes the client's response on. What is in it is looked at for one
// letter only.
func (c *Conn) respond(first bool) error {
	f, err := c.client.read()
	if err != nil {
		return fmt.Errorf("the client went away during authentication: %w", err)
	}
	if f.kind != 'p' {
		return c.protest(fmt.Errorf("%w: type %q in place of a password", errNotPostgres, f.kind))
	}
	if first && c.unbound && suspects(f.body) {
		c.refuse("28000", errBinding.Error(), "")
		return errBinding
	}
	return c.client.in.forward(&c.server)
}

// suspects reports whether the client says that it can bind the channel and
// thinks that the server cannot (RFC 5802, gs2-cbind-flag "y"), which a server
// that can takes for an attack.
func suspects(body []byte) bool {
	r := fields{b: body}
	r.text()
	return r.int32() > 1 && len(r.b) > 0 && r.b[0] == 'y'
}

// withoutPlus is AuthenticationSASL without the mechanism that cannot pass.
func withoutPlus(mechanisms []byte) []byte {
	b := []byte{'R', 0, 0, 0, 0, 0, 0, 0, pgproto3.AuthTypeSASL}
	for name := range bytes.SplitSeq(bytes.TrimRight(mechanisms, "\x00"), []byte{0}) {
		if string(name) != plus {
			b = append(append(b, name...), 0)
		}
	}
	b = append(b, 0)
	binary.BigEndian.PutUint32(b[1:], uint32(len(b)-1))
	return b
}

func (c *Conn) keepKey(body []byte) {
	r := fields{b: body}
	c.BackendPID = uint32(r.int32())
	c.key = bytes.Clone(r.b)
}

// statusOf reads ReadyForQuery, 0 when it is none that the protocol knows.
func statusOf(body []byte) byte {
	if len(body) == 0 || bytes.IndexByte([]byte("ITE"), body[0]) < 0 {
		return 0
	}
	return body[0]
}
