package pg

import (
	"io"
	"net"
	"time"
)

// transport carries the bytes of a connection.
type transport interface {
	io.ReadWriteCloser
	// Interrupt may be called while another goroutine reads or writes, which
	// then fails.
	Interrupt()
}

// polled is a connection of package net.
type polled struct{ net.Conn }

func (p polled) Interrupt() { _ = p.SetDeadline(time.Unix(1, 0)) }
