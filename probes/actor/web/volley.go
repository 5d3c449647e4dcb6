package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Shot is what one client of a volley sends.
type Shot struct {
	Actor *Actor
	Lane  int // for templates, from 1
	// Session has what comes before the last request; nil sends it again.
	Session *Session
}

// Volley is the clients of a round: each has its request sent but for the last
// byte, and then the last bytes are sent for all of them together. What spreads
// requests that are made at once, the time to connect and to be scheduled, lies
// before that. Where an actor has several requests it is the last one that is
// held back. It is used by one goroutine.
type Volley struct {
	// Whole holds back the end of the header with the body behind it, for an
	// application that acts before its request is complete.
	Whole bool

	client *Client
	lines  []carrier // one for each client, or the same for all
	http2  bool
	shots  []Shot
}

// carrier takes requests to the application.
type carrier interface {
	// load sends a request as far as it goes before the release.
	load(ctx context.Context, client int, req *http.Request, whole bool) error
	// held is what load has kept back.
	held(client int) []byte
	// send sends bytes that were held back.
	send([]byte) error
	// answer waits for the answer to a client's request.
	answer(client int) (*http.Response, []byte, error)
	close()
}

// NewVolley returns a volley of clients on HTTP/1.1, each with a connection of
// its own, or as streams of one connection on HTTP/2. Answers that do not come
// within the time-out are lost.
func NewVolley(clients int, http2 bool, timeout time.Duration) *Volley {
	return &Volley{client: NewClient(timeout), lines: make([]carrier, clients), http2: http2}
}

// Close closes the connections.
func (v *Volley) Close() {
	for _, l := range v.lines {
		if l != nil {
			l.close()
		}
	}
	v.client.Close()
}

// NotOfferedError says that the application does not speak HTTP/2.
type NotOfferedError struct{ Host string }

func (e *NotOfferedError) Error() string { return e.Host + " does not offer HTTP/2" }

// TooManyError says that the application takes fewer clients at one time.
type TooManyError struct {
	Host           string
	Clients, Limit int
	Err            error // of the connection that was refused; nil when the application said its limit
}

func (e *TooManyError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s takes %d connections, and no more of %d: %v", e.Host, e.Limit, e.Clients, e.Err)
	}
	return fmt.Sprintf("%s takes %d streams on one connection, and there are %d clients", e.Host, e.Limit, e.Clients)
}

func (e *TooManyError) Unwrap() error { return e.Err }

// Load sends the requests but for their last bytes, one for each client at
// most. An error is that of a template or of a connection, and nothing was
// released.
func (v *Volley) Load(ctx context.Context, shots []Shot) error {
	if len(shots) > len(v.lines) {
		return fmt.Errorf("loading a volley: %d requests for %d clients", len(shots), len(v.lines))
	}
	v.shots = shots
	if s, ok := v.lines[0].(*streams); ok && !s.alive() {
		v.hangUp()
	}
	err := v.load(ctx)
	if errors.Is(err, errBegun) { // once more, from the first client on
		v.hangUp()
		err = v.load(ctx)
	}
	return err
}

// hangUp closes the connection of all clients on HTTP/2.
func (v *Volley) hangUp() {
	v.lines[0].close()
	clear(v.lines)
}

func (v *Volley) load(ctx context.Context) error {
	for i, s := range v.shots {
		req, err := v.prepare(ctx, s)
		if err != nil {
			return err
		}
		if err := v.carry(ctx, i, req, s.Actor.Last().Insecure); err != nil {
			return err
		}
	}
	return nil
}

// prepare renders the last request of a client.
func (v *Volley) prepare(ctx context.Context, s Shot) (*http.Request, error) {
	session := s.Session
	if session == nil {
		var err error
		if session, err = v.client.Prepare(ctx, s.Actor, s.Lane); err != nil {
			return nil, err
		}
	}
	jar, err := session.jar()
	if err != nil {
		return nil, err
	}
	req, err := s.Actor.Last().render(ctx, &values{lane: s.Lane, now: time.Now(), answers: session.answers})
	if err != nil {
		return nil, err
	}
	for _, c := range jar.Cookies(req.URL) {
		req.AddCookie(c)
	}
	return req, nil
}

// carry gives the request to the client's connection, which is opened when
// there is none.
func (v *Volley) carry(ctx context.Context, i int, req *http.Request, insecure bool) error {
	if l := v.lines[i]; l != nil && l.load(ctx, i, req, v.Whole) == nil {
		return nil
	}
	if v.http2 && i > 0 {
		return &LostError{Method: req.Method, Host: req.URL.Host, Err: errBegun}
	}
	l, err := v.open(ctx, i, req.URL, insecure)
	if err != nil {
		return err
	}
	err = l.load(ctx, i, req, v.Whole)
	switch {
	case err != nil && i > 0:
		return &TooManyError{Host: req.URL.Host, Clients: len(v.lines), Limit: i, Err: err}
	case err != nil:
		return &LostError{Method: req.Method, Host: req.URL.Host, Err: err}
	}
	return nil
}

// open opens the connection of a client. On HTTP/2 it is that of all of them.
func (v *Volley) open(ctx context.Context, i int, target *url.URL, insecure bool) (carrier, error) {
	if v.lines[i] != nil {
		v.lines[i].close()
		v.lines[i] = nil
	}
	if v.http2 {
		s, err := dialStreams(ctx, target, insecure, v.client.timeout)
		if err != nil {
			return nil, err
		}
		if limit := s.limit; limit < len(v.lines) {
			s.close()
			return nil, &TooManyError{Host: target.Host, Clients: len(v.lines), Limit: limit}
		}
		for k := range v.lines {
			v.lines[k] = s
		}
		return s, nil
	}
	l, err := dialLine(ctx, target, insecure, v.client.timeout)
	if err != nil && i > 0 {
		return nil, &TooManyError{Host: target.Host, Clients: len(v.lines), Limit: i, Err: err}
	}
	if err != nil {
		return nil, &LostError{Method: "a connection", Host: target.Host, Err: err}
	}
	v.lines[i] = l
	return l, nil
}

// Fire sends the last bytes and waits for the answers. told is called for each
// client when its answer has come or was lost, at the same time for different
// ones.
func (v *Volley) Fire(told func(client int, a Answer, err error)) {
	var read sync.WaitGroup
	for i := range v.shots {
		read.Go(func() { v.read(i, told) })
	}
	v.release()
	read.Wait()
}

// release sends what was held back: one write for each connection.
func (v *Volley) release() {
	if v.http2 && len(v.shots) > 0 {
		var all []byte
		for i := range v.shots {
			all = append(all, v.lines[i].held(i)...)
		}
		_ = v.lines[0].send(all) // the readers tell that the connection is gone
		return
	}
	for i := range v.shots {
		_ = v.lines[i].send(v.lines[i].held(i))
	}
}

func (v *Volley) read(i int, told func(int, Answer, error)) {
	r := v.shots[i].Actor.Last()
	res, body, err := v.lines[i].answer(i)
	if err != nil {
		told(i, Answer{}, &LostError{Method: r.method(), Host: cmp.Or(hostOf(r.URL), "the application"), Err: err})
		return
	}
	fields := Fields(res.StatusCode, body)
	told(i, Answer{Status: res.StatusCode, Outcome: r.Classes.Of(res.StatusCode), Fields: fields, Body: body, Cookies: res.Cookies()}, nil)
}

func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}

var (
	errSpent = errors.New("the connection was closed by the application")
	errBegun = errors.New("the connection was closed by the application while requests of other clients were on it")
)
