package wire

import (
	"context"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// errCanceled is why a batch at the gate ends that the client cancels. Server
// and proxy say the same.
var errCanceled = errors.New("canceling statement due to user request")

// relayCancel passes a cancel request on. Clients know the server's own key, so
// the server sees whether it is right. It waits until the server has dealt with
// it, which a client takes the end of its connection for.
func (p *Proxy) relayCancel(ctx context.Context, packet []byte) error {
	if c := p.connOf(packet); c != nil {
		p.tape.note(fmt.Sprintf("connection %d: the client asks to cancel", c.ID))
		c.cancelHeld()
	}
	nc, err := p.upstream.connect(ctx)
	if err != nil {
		return fmt.Errorf("passing a cancel request on: %w", err)
	}
	defer nc.Close()
	_ = nc.SetDeadline(time.Now().Add(startLimit))
	if _, err := nc.Write(packet); err != nil {
		return fmt.Errorf("passing a cancel request on: %w", err)
	}
	_, _ = io.Copy(io.Discard, nc)
	return nil
}

// connOf finds the connection that a cancel request is for, nil when the
// process id or the secret is not one of ours.
func (p *Proxy) connOf(packet []byte) *Conn {
	if len(packet) < 12 {
		return nil
	}
	pid, key := binary.BigEndian.Uint32(packet[8:]), packet[12:]
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.mu.Lock()
		found := c.opened && c.BackendPID == pid && subtle.ConstantTimeCompare(c.key, key) == 1
		c.mu.Unlock()
		if found {
			return c
		}
	}
	return nil
}

// cancelHeld ends the wait of a batch at the gate.
func (c *Conn) cancelHeld() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held != nil {
		c.held(errCanceled)
	}
}
