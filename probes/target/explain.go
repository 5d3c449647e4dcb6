package target

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Explain tells an error of a connection or a statement in one sentence, with
// its mend and its exit code; nil for nil. An *Error in err is returned as it is.
func (t *Target) Explain(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	t.mu.Lock()
	h := t.hosts[0]
	t.mu.Unlock()
	return t.explain(h, err)
}

// explainAt is Explain for a host that was just tried. When what answered did
// not behave like PostgreSQL it is asked what it is.
func (t *Target) explainAt(ctx context.Context, h host, err error) *Error {
	e := t.explain(h, err)
	if e.Kind == NotPostgres || e.Kind == silent {
		if name := sniff(ctx, t.config.DialFunc, h); name != "" {
			return failed(NotPostgres, fmt.Sprintf("%s answers there, not PostgreSQL (%s)", name, h.address()), "correct host and port")
		}
	}
	if e.Kind == silent {
		e.Kind = Unreachable
	}
	return e
}

// silent is a peer that accepted the connection and then said nothing in time;
// explainAt makes another kind of it.
const silent Kind = "silent"

// explain chooses the branch of err that says most. pgconn joins one error for
// each address and each try with and without TLS.
func (t *Target) explain(h host, err error) *Error {
	var best *Error
	rank := -1
	for _, branch := range branches(err) {
		e, r := t.classify(h, branch)
		if r > rank {
			best, rank = e, r
		}
	}
	return best
}

// branches takes joined errors apart, however deep the join is.
func branches(err error) []error {
	for e := err; e != nil; e = errors.Unwrap(e) {
		if many, ok := e.(interface{ Unwrap() []error }); ok {
			var list []error
			for _, one := range many.Unwrap() {
				list = append(list, branches(one)...)
			}
			return list
		}
	}
	return []error{err}
}

// classify returns what one branch means and how much it says: an answer of
// PostgreSQL more than a broken conversation, that more than a closed port.
func (t *Target) classify(h host, err error) (*Error, int) {
	if errors.Is(err, context.Canceled) {
		return &Error{Kind: Interrupted, Msg: "talking to " + h.address() + " was interrupted", Exit: exitFailed, err: context.Canceled}, 9
	}
	var answer interface{ SQLState() string }
	if errors.As(err, &answer) {
		return t.explainAnswer(h, answer.SQLState(), err)
	}
	if e := explainTLS(h, err); e != nil {
		return e, 4
	}
	if e := explainProtocol(h, err); e != nil {
		return e, 3
	}
	if e := explainNetwork(h, err, t.config); e != nil {
		return e, 2
	}
	return failed(Lost, fmt.Sprintf("%s: %s", h.address(), t.scrub(err.Error())), ""), 1
}

func (t *Target) scrub(text string) string { return t.password.scrub(text) }

func explainTLS(h host, err error) *Error {
	var record tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &name):
		return failed(TLS, h.address()+" shows a certificate for another name", "use the name that is in the certificate, or sslmode=verify-ca")
	case errors.As(err, &authority):
		return failed(TLS, h.address()+" shows a certificate of an authority that is not trusted here", "give the authority's certificate as sslrootcert, or sslrootcert=system for public ones")
	case errors.As(err, &invalid):
		return failed(TLS, h.address()+" shows a certificate that is not valid: "+invalid.Error(), "renew the certificate on the server")
	case errors.As(err, &record):
		return failed(TLS, h.address()+" does not speak TLS where it was asked to", "use sslmode=disable if the network between is trusted, or leave sslnegotiation out")
	case strings.Contains(err.Error(), "tls error: remote error: tls:"):
		return failed(TLS, h.address()+" broke the TLS handshake off", "does the server want a client certificate (sslcert, sslkey)?")
	}
	return nil
}

// explainProtocol finds a peer that talks, but not as PostgreSQL does. The last
// case is pgconn's answer to a byte other than S after an SSLRequest; it is the
// weakest, since a plain attempt may have followed.
func explainProtocol(h host, err error) *Error {
	var long *pgproto3.ExceededMaxBodyLenErr
	text := err.Error()
	switch {
	case errors.As(err, &long), strings.Contains(text, "unknown message type"),
		strings.Contains(text, "invalid message length"), strings.Contains(text, "received unexpected message"):
		return failed(NotPostgres, h.address()+" answers, but not as PostgreSQL does", "correct host and port")
	case strings.Contains(text, "channel binding check failed"), strings.Contains(text, "require_auth check failed"):
		return failed(NoEntry, h.address()+" asks for a way to authenticate that the connection string forbids", "look at require_auth and channel_binding")
	case strings.Contains(text, "failed SASL auth"):
		return failed(Password, h.address()+" broke the authentication off", "is the password right?")
	}
	return nil
}

func explainNetwork(h host, err error, cfg *pgconn.Config) *Error {
	var dns *net.DNSError
	text := err.Error()
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return failed(NoHost, fmt.Sprintf("there is no host named %q", h.name), "correct the host name, or look at DNS and VPN")
	case errors.As(err, &dns):
		return failed(NoHost, fmt.Sprintf("the host name %q could not be looked up: %s", h.name, dns.Err), "look at DNS and VPN")
	case strings.Contains(text, "server refused TLS connection"):
		return failed(TLS, h.address()+" does not offer TLS, and the connection string asks for it", "use sslmode=prefer or disable if the network between is trusted, or set ssl = on in postgresql.conf")
	case errors.Is(err, fs.ErrNotExist):
		return failed(Unreachable, "there is no server at the socket "+h.address(), "start it, correct port or directory, or give host=localhost for TCP")
	case errors.Is(err, fs.ErrPermission):
		return failed(Unreachable, "the socket "+h.address()+" may not be opened by this user", "look at unix_socket_permissions, or give host=localhost for TCP")
	case errors.Is(err, syscall.ECONNREFUSED):
		return failed(Unreachable, "nothing listens on "+h.address()+" (connection refused)", "start the server, or correct host and port")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return failed(Unreachable, "there is no route to "+h.address(), "look at the network and VPN")
	case pgconn.Timeout(err), errors.Is(err, context.DeadlineExceeded):
		return explainTimeout(h, err, cfg)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return explainClosed(h, err)
	case errors.Is(err, pgconn.ErrConnClosed):
		return failed(Lost, "the connection to "+h.address()+" was lost", "is the server still up? Its log says why it closed the connection")
	}
	return nil
}

// explainTimeout tells a host that is not there from one that took the
// connection and then kept silent.
func explainTimeout(h host, err error, cfg *pgconn.Config) *Error {
	if strings.Contains(err.Error(), "dial error") {
		return failed(Unreachable, fmt.Sprintf("%s did not answer within %s", h.address(), cfg.ConnectTimeout), "correct host and port, or look at firewall and VPN")
	}
	return failed(silent, fmt.Sprintf("%s took the connection but did not answer in time", h.address()), "is that PostgreSQL, and is it overloaded? connect_timeout=… waits longer")
}

// explainClosed tells a peer that hung up during the start from a session that
// was lost later.
func explainClosed(h host, err error) *Error {
	var dialing *pgconn.ConnectError
	text := err.Error()
	start := errors.As(err, &dialing) || strings.Contains(text, "failed to receive message") || strings.Contains(text, "tls error") || strings.Contains(text, "startup message")
	if start {
		return failed(NotPostgres, h.address()+" closed the connection before it said anything", "is that PostgreSQL? If so its log says why")
	}
	return failed(Lost, "the connection to "+h.address()+" was lost", "is the server still up? Its log says why it closed the connection")
}
