// Package record is the driver that makes a tape of an application as it is
// used: a reverse proxy in front of it, a proxy for PostgreSQL behind it, and
// one tape on which each request stands with the statements that it caused.
//
// It changes nothing, judges nothing and chooses no pairs. The commands import
// it; what the tape is good for is theirs to say.
package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/internal/app"
	"github.com/ccheck/ccheck/probes/record/tape"
	"github.com/ccheck/ccheck/probes/wire"
)

// Options say what is recorded, and to where.
type Options struct {
	Version string // of ccheck
	Path    string // of the tape
	Limit   int64  // of its bytes; 0 is 64 MiB

	// App is where the application listens: scheme, host and port.
	App string
	// Listen is the address at which it is used meanwhile, Database that of the
	// proxy for PostgreSQL; "" is a free port on loopback.
	Listen, Database string
	// Upstream is the database; nil records HTTP alone.
	Upstream *pgconn.Config

	Command string // starts the application; "" leaves that to the user
	Dir     string
	Env     []string // NAME=value
	Ready   string   // URL that is asked until it answers

	Mask []string // names of fields and columns that are masked beside the usual ones
	// Columns names the columns that the parameters of a statement go to, "" for
	// one that is not known. Nil knows none.
	Columns func(sql string) []string
	Say     func(string) // progress for people
}

const defaultLimit = 64 << 20

// Recorder is a recording that runs.
type Recorder struct {
	Options
	target   *url.URL
	masker   *masker
	tape     *tape.Writer
	start    time.Time
	listener net.Listener
	server   *http.Server
	forward  *httputil.ReverseProxy
	proxy    *wire.Proxy
	gate     *gate
	app      *app.App

	mu       sync.Mutex
	open     map[int]*open
	requests int
	closed   bool
}

// Open opens both proxies and starts the application. Close must be called.
func Open(ctx context.Context, o Options) (*Recorder, error) {
	target, err := url.Parse(o.App)
	if err != nil || target.Host == "" {
		return nil, fmt.Errorf("%q is no address of an application", o.App)
	}
	r := &Recorder{Options: o, target: target, masker: newMasker(o.Mask), start: time.Now(), open: map[int]*open{}}
	r.gate = newGate(r)
	if err := r.begin(ctx); err != nil {
		_, closeErr := r.Close()
		return nil, errors.Join(err, closeErr)
	}
	return r, nil
}

func (r *Recorder) begin(ctx context.Context) (err error) {
	var lc net.ListenConfig
	if r.listener, err = lc.Listen(ctx, "tcp", cmp.Or(r.Listen, "127.0.0.1:0")); err != nil {
		return fmt.Errorf("listening for requests: %w", err)
	}
	h := tape.Header{Version: r.Version, Start: r.start, App: r.App, Listen: r.URL(), Masked: r.Mask}
	if r.Upstream != nil {
		h.Database = fmt.Sprintf("%s/%s", net.JoinHostPort(r.Upstream.Host, fmt.Sprint(r.Upstream.Port)), r.Upstream.Database)
	}
	if r.tape, err = tape.Create(r.Path, h, cmp.Or(r.Limit, defaultLimit)); err != nil {
		return err
	}
	if err := r.databaseProxy(ctx); err != nil {
		return err
	}
	if err := r.startApp(ctx); err != nil {
		return err
	}
	r.serve()
	return nil
}

func (r *Recorder) databaseProxy(ctx context.Context) error {
	if r.Upstream == nil {
		return nil
	}
	certificate, _, err := wire.SelfSigned(time.Now()) // for applications that talk TLS alone
	if err != nil {
		return err
	}
	// The proxy outlives the signal that ends the recording: the application is
	// to end in good order.
	r.proxy, err = wire.Listen(context.WithoutCancel(ctx), wire.Config{Upstream: r.Upstream, Address: r.Database, Gate: r.gate, Passing: true, TLS: certificate, Limits: wire.Limits{Rows: 1, Bytes: 1}})
	return err
}

func (r *Recorder) startApp(ctx context.Context) (err error) {
	if r.Command == "" {
		return nil
	}
	o := app.Options{Command: r.Command, Dir: r.Dir, Env: r.Env, Ready: r.Ready, Database: r.DSN()}
	fmt.Sscan(r.target.Port(), &o.Port)
	r.app, err = app.Start(ctx, o)
	return err
}

// URL is where the application is to be used.
func (r *Recorder) URL() string { return "http://" + r.listener.Addr().String() }

// DSN is the URL that the application is to connect to. It holds a password;
// "" where HTTP alone is recorded.
func (r *Recorder) DSN() string {
	if r.proxy == nil {
		return ""
	}
	return r.proxy.DSN()
}

// Counts is how far a recording is.
type Counts struct {
	Requests, Statements int
	Connected            bool // the application has used the proxy of its database
}

// Counts tells how far the recording is.
func (r *Recorder) Counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Counts{Requests: r.requests, Statements: r.gate.statements, Connected: r.gate.connections > 0}
}

// Ended tells how the application ended, "" while it runs.
func (r *Recorder) Ended() string {
	if r.app == nil {
		return ""
	}
	return r.app.Ended()
}

// closeLimit is how long requests that are open may go on.
const closeLimit = 5 * time.Second

// Close ends the application and both proxies, and the tape.
func (r *Recorder) Close() (tape.End, error) {
	if r.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		if r.server.Shutdown(ctx) != nil {
			_ = r.server.Close() // what is still open is left out
		}
	} else if r.listener != nil {
		r.listener.Close()
	}
	if r.app != nil {
		r.app.Stop()
	}
	if r.proxy != nil {
		_ = r.proxy.Close() // it keeps no history that could be incomplete
	}
	if r.tape == nil {
		return tape.End{}, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.tape.Close(tape.End{End: r.now(), Requests: r.requests, Statements: r.gate.statements, Own: r.gate.own})
}

func (r *Recorder) now() int64 { return time.Since(r.start).Nanoseconds() }
