// Package endpoint asks a Go process for profiles, through net/http/pprof. It
// reads no profile: the bytes go to whoever asks.
package endpoint

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Error is what a person can do something about.
type Error struct{ Msg, Hint string }

func (e *Error) Error() string { return e.Msg }

// Endpoint is where net/http/pprof answers.
type Endpoint struct {
	Client *http.Client
	base   string // ends in /debug/pprof/
}

// New takes any address of the server: its root, or one below /debug/pprof.
func New(client *http.Client, address string) (*Endpoint, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, &Error{fmt.Sprintf("%q is no address", address), "name one such as http://localhost:6060"}
	}
	path := strings.TrimSuffix(u.Path, "/")
	if i := strings.Index(path, "/debug/pprof"); i >= 0 {
		path = path[:i]
	}
	u.Path, u.RawQuery, u.Fragment = path+"/debug/pprof/", "", ""
	return &Endpoint{Client: client, base: u.String()}, nil
}

// Address is where it asks, without a password.
func (e *Endpoint) Address() string {
	u, err := url.Parse(e.base)
	if err != nil {
		return ""
	}
	return u.Redacted()
}

// get writes the answer to w.
func (e *Endpoint) get(ctx context.Context, what string, w io.Writer) error {
	resp, err := e.open(ctx, what)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, io.LimitReader(resp.Body, most)); err != nil {
		return e.lost(ctx, err)
	}
	return nil
}

func (e *Endpoint) open(ctx context.Context, what string) (*http.Response, error) {
	return e.ask(ctx, e.base+what)
}

func (e *Endpoint) ask(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("asking the process: %w", err)
	}
	resp, err := e.Client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("asking the process: %w", context.Cause(ctx))
		}
		return nil, &Error{fmt.Sprintf("cannot reach %s: %v", e.Address(), cause(err)), "start the process, and name the address at which it serves net/http/pprof"}
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, foreign(req.URL, resp.Status)
	}
	return resp, nil
}

func foreign(address *url.URL, answer string) *Error {
	return &Error{fmt.Sprintf("%s answers %s: it serves no net/http/pprof", address.Redacted(), answer),
		`import _ "net/http/pprof" in the program, and name the address of the server that uses http.DefaultServeMux`}
}

func (e *Endpoint) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("reading a profile: %w", context.Cause(ctx))
	}
	return &Error{fmt.Sprintf("the process ended in the middle of a profile: %s closed the connection (%v)", e.Address(), cause(err)), "start it again"}
}

func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// Heap runs the garbage collector and writes the heap profile.
func (e *Endpoint) Heap(ctx context.Context, w io.Writer) error { return e.get(ctx, "heap?gc=1", w) }

// Goroutines writes the profile of all goroutines.
func (e *Endpoint) Goroutines(ctx context.Context, w io.Writer) error {
	return e.get(ctx, "goroutine", w)
}

// Leaked writes the profile of the goroutines that nothing can wake, which Go has
// from 1.27 on, and 1.26 with GOEXPERIMENT=goroutineleakprofile; ok is false where
// the process has none.
func (e *Endpoint) Leaked(ctx context.Context, w io.Writer) (ok bool, err error) {
	return e.some(ctx, e.base+"goroutineleak", w)
}

// Variables writes what package expvar serves at /debug/vars; ok is false where
// the process serves none.
func (e *Endpoint) Variables(ctx context.Context, w io.Writer) (ok bool, err error) {
	var head first
	ok, err = e.some(ctx, strings.TrimSuffix(e.base, "pprof/")+"vars", io.MultiWriter(&head, w))
	return ok && head == '{', err // a server that answers everything with a page
}

// first is the first byte that was written.
type first byte

func (f *first) Write(p []byte) (int, error) {
	if *f == 0 && len(p) > 0 {
		*f = first(p[0])
	}
	return len(p), nil
}

// some writes the answer of what a process need not have.
func (e *Endpoint) some(ctx context.Context, url string, w io.Writer) (ok bool, err error) {
	resp, err := e.ask(ctx, url)
	var no *Error
	if errors.As(err, &no) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, io.LimitReader(resp.Body, most)); err != nil {
		return false, e.lost(ctx, err)
	}
	return true, nil
}

// most bounds what is read of an answer, in bytes.
const most = 1 << 30

// MemStats runs the garbage collector once more, which empties every sync.Pool
// for good, and writes the part of the text profile that holds
// runtime.MemStats, under a head that makes it a profile again.
func (e *Endpoint) MemStats(ctx context.Context, w io.Writer) error {
	resp, err := e.open(ctx, "heap?gc=1&debug=1")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	r := bufio.NewReaderSize(io.LimitReader(resp.Body, most), 1<<16)
	if _, err := io.WriteString(w, "heap profile: 0: 0 [0: 0] @ heap/0\n"); err != nil {
		return fmt.Errorf("storing runtime.MemStats: %w", err)
	}
	for on := false; ; {
		line, err := r.ReadString('\n')
		on = on || strings.HasPrefix(line, "# runtime.MemStats")
		if on {
			if _, err := io.WriteString(w, line); err != nil {
				return fmt.Errorf("storing runtime.MemStats: %w", err)
			}
		}
		if err == io.EOF && on {
			return nil
		}
		if err != nil {
			return e.lost(ctx, err)
		}
	}
}

// Probe finds out whether net/http/pprof answers, at the price of nothing, and with
// which command line the process was started. A server that answers everything with
// a page is none.
func (e *Endpoint) Probe(ctx context.Context) (args []string, err error) {
	resp, err := e.open(ctx, "cmdline")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, longest))
	if err != nil {
		return nil, e.lost(ctx, err)
	}
	if kind := resp.Header.Get("Content-Type"); len(text) == 0 || !strings.HasPrefix(kind, "text/plain") && kind != "" {
		return nil, foreign(resp.Request.URL, cmp.Or(kind, "nothing"))
	}
	return strings.Split(string(text), "\x00"), nil
}

// longest bounds a command line, in bytes: that of Linux.
const longest = 2 << 20

// Host is the host and port of the address.
func (e *Endpoint) Host() string {
	u, err := url.Parse(e.base)
	if err != nil {
		return ""
	}
	return u.Host
}
