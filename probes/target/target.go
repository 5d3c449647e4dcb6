// Package target is the PostgreSQL server under test and everything that earns
// its owner's trust: how it is named (connection strings, PG* variables),
// which servers are refused, which limits every session gets, the schema that
// ccheck works in, and what is left behind: nothing.
//
// It runs no workload and records no history. It talks to the server through
// pgconn alone, with catalogue queries and the few statements that make and
// drop the sandbox. No text that leaves this package holds a password.
package target

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// maxMessage bounds one message of the server, in bytes. A server that is not
// PostgreSQL answers with bytes that read as a length of more than a gigabyte;
// pgconn would make room for it before it looked at the rest.
const maxMessage = 64 << 20

// connectTimeout is used when neither the connection string nor
// PGCONNECT_TIMEOUT names one. libpq waits for ever.
const connectTimeout = 10 * time.Second

// Target is one server and database. It is made by Parse and may be used by
// several goroutines.
type Target struct {
	// Warnings are things that a user should hear of but that stop nothing,
	// one sentence each: a password in argv, a key that has no effect here.
	Warnings []string
	// Waits, when it is set, is told the address of a server that has not
	// answered for two seconds.
	Waits func(address string)
	// Throwaway says that ccheck started the server itself: no rail applies.
	Throwaway bool

	config   *pgconn.Config // without the password
	password Secret

	mu      sync.Mutex
	hosts   []host // in the order in which they are tried; one after the first connection
	version int    // as server_version_num, 0 before the first connection
}

// host is one server of a connection string with its ways to connect: TLS,
// plain, or both in turn.
type host struct {
	name string // host name, address, or directory of the Unix socket
	port uint16
	ways []*pgconn.FallbackConfig
	// taken are those of them that are like the first connection; nil before it.
	taken []*pgconn.FallbackConfig
}

// address is host:port, or the path of a Unix socket.
func (h host) address() string {
	_, address := pgconn.NetworkAddress(h.name, h.port)
	return address
}

func (h host) unix() bool {
	network, _ := pgconn.NetworkAddress(h.name, h.port)
	return network == "unix"
}

// newTarget takes over a configuration that pgconn made.
func newTarget(cfg *pgconn.Config) *Target {
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout
	}
	cfg.MaxProtocolMessageBodyLen = maxMessage
	ways := append([]*pgconn.FallbackConfig{{Host: cfg.Host, Port: cfg.Port, TLSConfig: cfg.TLSConfig}}, cfg.Fallbacks...)
	t := &Target{config: cfg, password: NewSecret(cfg.Password)}
	cfg.Password = ""
	for _, w := range ways {
		last := len(t.hosts) - 1
		if last < 0 || t.hosts[last].name != w.Host || t.hosts[last].port != w.Port {
			t.hosts = append(t.hosts, host{name: w.Host, port: w.Port})
			last++
		}
		t.hosts[last].ways = append(t.hosts[last].ways, w)
	}
	return t
}

// Config returns what a lane needs to connect: the server that Connect chose,
// application_name, and the settings of every session. The caller owns the
// copy; it holds the password and must not be printed. Call it after Connect,
// which learns the server's version and pins one of several hosts.
func (t *Target) Config(run Run, set Settings) *pgconn.Config {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.configFor(t.hosts[0], run, set)
}

func (t *Target) configFor(h host, run Run, set Settings) *pgconn.Config {
	cfg := t.config.Copy()
	cfg.Password = t.password.Reveal()
	ways := h.ways
	if len(h.taken) > 0 {
		ways = h.taken
	}
	cfg.Host, cfg.Port, cfg.TLSConfig = h.name, h.port, ways[0].TLSConfig
	cfg.Fallbacks = ways[1:]
	for name, value := range set.params(run, t.version) {
		cfg.RuntimeParams[name] = value
	}
	return cfg
}

// Database is the name of the database; as in libpq it is the user's name when
// none was given.
func (t *Target) Database() string {
	if t.config.Database != "" {
		return t.config.Database
	}
	return t.config.User
}

// User is the role that connects.
func (t *Target) User() string { return t.config.User }

// Address is host:port/database, the form that histories keep. Several hosts
// are joined by commas until Connect has chosen one.
func (t *Target) Address() string { return t.server() + "/" + t.Database() }

// server is host:port without the database.
func (t *Target) server() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for _, h := range t.hosts {
		list = append(list, net.JoinHostPort(h.name, strconv.Itoa(int(h.port))))
	}
	return strings.Join(list, ",")
}

// SSLMode is libpq's word for the use of TLS, "socket" on a Unix socket.
func (t *Target) SSLMode() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.hosts[0]
	first, last := h.ways[0].TLSConfig, h.ways[len(h.ways)-1].TLSConfig
	switch {
	case h.unix():
		return "socket"
	case first == nil && last == nil:
		return "disable"
	case first == nil:
		return "allow"
	case last == nil:
		return "prefer"
	case !first.InsecureSkipVerify:
		return "verify-full"
	case first.VerifyPeerCertificate != nil:
		return "verify-ca"
	}
	return "require"
}

// String is host:port/database as user (sslmode): all that may be shown.
func (t *Target) String() string {
	return fmt.Sprintf("%s as %s (sslmode %s)", t.Address(), t.User(), t.SSLMode())
}

// GoString, Format, MarshalJSON and LogValue keep every other way of printing
// a Target as silent as String.
func (t *Target) GoString() string { return t.String() }

// Format writes String, whatever the verb.
func (t *Target) Format(f fmt.State, _ rune) { io.WriteString(f, t.String()) }

// MarshalJSON writes String.
func (t *Target) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// LogValue is String.
func (t *Target) LogValue() slog.Value { return slog.StringValue(t.String()) }
