package web

import (
	"crypto/tls"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// quick wraps a connection so that what arrives is acknowledged at once. A
// server that writes head and body of its answer in two pieces, as many do,
// waits for the acknowledgement of the first (RFC 1122, 4.2.3.2 and 4.2.3.4),
// and the kernel would hold that back for 40 ms. The option does not stick and
// is set before each read (tcp(7), TCP_QUICKACK).
type quick struct {
	net.Conn
	raw syscall.RawConn
}

func quickly(conn net.Conn) net.Conn {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return conn
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return conn
	}
	return &quick{Conn: conn, raw: raw}
}

func (q *quick) Read(b []byte) (int, error) {
	// A connection that cannot do it is only slower.
	_ = q.raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1) })
	return q.Conn.Read(b)
}

// arrived reports whether there is something to read, the end of the connection
// included; it does not wait. Known is false for a connection that cannot be asked.
func arrived(conn net.Conn) (yes, known bool) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	q, ok := conn.(*quick)
	if !ok {
		return false, false
	}
	var n int
	var polled error
	err := q.raw.Control(func(fd uintptr) {
		n, polled = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	})
	return n > 0, err == nil && polled == nil
}
