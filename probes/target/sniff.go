package target

import (
	"context"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// greeting is how long a server that speaks first is given to do so, and then
// how long any server has to answer.
const greeting = 500 * time.Millisecond

// signs are the first bytes by which a service that is not PostgreSQL shows
// itself.
var signs = []struct{ prefix, name string }{
	{"HTTP/", "an HTTP server"},
	{"SSH-", "an SSH server"},
	{"-NOAUTH", "Redis"},
	{"-ERR", "Redis"},
	{"-DENIED", "Redis"},
	{"220 ", "a mail or FTP server"},
	{"\x15\x03", "a TLS server"},
}

// sniff asks what listens at an address that did not answer as PostgreSQL: it
// waits for a greeting and then sends the smallest HTTP request, which HTTP
// servers, TLS ones too, and Redis answer each in their own way. "" when it cannot tell.
func sniff(ctx context.Context, dial pgconn.DialFunc, h host) string {
	ctx, cancel := context.WithTimeout(ctx, 4*greeting)
	defer cancel()
	network, address := pgconn.NetworkAddress(h.name, h.port)
	conn, err := dial(ctx, network, address)
	if err != nil {
		return ""
	}
	defer conn.Close()
	if name := identify(hear(conn)); name != "" {
		return name
	}
	conn.SetWriteDeadline(time.Now().Add(greeting))
	if _, err := conn.Write([]byte("GET / HTTP/1.0\r\n\r\n")); err != nil {
		return ""
	}
	return identify(hear(conn))
}

// hear returns what the peer says within the time of a greeting.
func hear(conn net.Conn) string {
	buf := make([]byte, 64)
	conn.SetReadDeadline(time.Now().Add(greeting))
	n, _ := conn.Read(buf)
	return string(buf[:n])
}

func identify(said string) string {
	for _, s := range signs {
		if strings.HasPrefix(said, s.prefix) {
			return s.name
		}
	}
	// MySQL and MariaDB greet with a packet whose fifth byte is the protocol
	// version 10 ("Protocol::HandshakeV10").
	if len(said) > 5 && said[3] == 0 && said[4] == 10 {
		return "MySQL or MariaDB"
	}
	return ""
}
