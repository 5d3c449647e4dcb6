// Package web is the actor that sends HTTP requests, as a client of the
// application would: one or several in a row, with templates in every part,
// cookies kept between them, and an answer that is classed and taken apart.
//
// It judges nothing and knows nothing of databases or schedules. Drivers of
// probes and the scenario import it.
package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// Limits on what is kept of an answer.
const (
	maxBody   = 1 << 20 // bytes that are read
	maxFields = 200     // values of a JSON document
)

// Field is a header of a request; both sides may hold templates.
type Field struct{ Name, Value string }

// Request is one HTTP request. URL, headers and body may hold templates.
type Request struct {
	Method  string // "" is GET, or POST when there is a body
	URL     string
	Headers []Field
	Body    string
	// User and Password are those of basic authentication, "" for none.
	User, Password string
	Insecure       bool // certificates are not checked
	Follow         bool // redirects are followed
	Literal        bool // nothing in it is a template
	Classes        Classes
}

// Actor is what one lane sends in one call: its requests in their order. A
// request that is not accepted ends the call.
type Actor struct {
	Name     string
	Requests []*Request
}

// Answer is what the last request of a call was answered.
type Answer struct {
	Status  int
	Outcome history.Outcome
	// Fields are the status and the body: each value of a JSON document under
	// its path, such as body.items.0.id, or the whole text as body.
	Fields  []history.Var
	Body    []byte
	Header  http.Header
	Cookies []*http.Cookie // that the last answer set
}

// Client sends calls of one lane over connections of its own.
type Client struct {
	transport *http.Transport
	lax       *http.Transport // that does not check certificates
	timeout   time.Duration
}

// idle is how long a connection is kept. Servers close theirs after some
// seconds (Node after five), and a POST on one that is being closed is lost.
const idle = 2 * time.Second

// NewClient returns a client whose calls end after the time-out.
func NewClient(timeout time.Duration) *Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return quickly(conn), nil
		},
		IdleConnTimeout: idle, MaxIdleConnsPerHost: 4, DisableCompression: true,
	}
	lax := transport.Clone()
	lax.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} // asked for, as with curl -k
	return &Client{transport: transport, lax: lax, timeout: timeout}
}

// Close closes the connections that are idle.
func (c *Client) Close() {
	c.transport.CloseIdleConnections()
	c.lax.CloseIdleConnections()
}

// Call makes one call of the actor in a lane. An error is that of a template,
// or of a connection: then nobody knows whether the call took effect.
func (c *Client) Call(ctx context.Context, a *Actor, lane int) (Answer, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return Answer{}, fmt.Errorf("making a cookie jar: %w", err)
	}
	v := &values{lane: lane, now: time.Now()}
	var last Answer
	for _, r := range a.Requests {
		if last, err = c.send(ctx, r, jar, v); err != nil {
			return last, err
		}
		if last.Outcome != history.Accepted {
			break
		}
		v.answers = append(v.answers, last)
	}
	return last, nil
}

func (c *Client) send(ctx context.Context, r *Request, jar http.CookieJar, v *values) (Answer, error) {
	req, err := r.render(ctx, v)
	if err != nil {
		return Answer{}, err
	}
	client := &http.Client{Transport: c.transport, Jar: jar, Timeout: c.timeout}
	if r.Insecure {
		client.Transport = c.lax
	}
	if !r.Follow {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	res, err := client.Do(req)
	if err != nil {
		return Answer{}, &LostError{Method: req.Method, Host: req.URL.Host, Err: err}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if err != nil {
		return Answer{}, &LostError{Method: req.Method, Host: req.URL.Host, Err: err}
	}
	fields := Fields(res.StatusCode, body)
	return Answer{Status: res.StatusCode, Outcome: r.Classes.Of(res.StatusCode), Fields: fields, Body: body, Header: res.Header, Cookies: res.Cookies()}, nil
}

// render puts the values in. The body comes first, since a signature in a
// header is made of it.
func (r *Request) render(ctx context.Context, v *values) (*http.Request, error) {
	v.literal = r.Literal
	body, err := v.fill(r.Body)
	if err != nil {
		return nil, err
	}
	v.body = body
	url, err := v.fill(r.URL)
	if err != nil {
		return nil, err
	}
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method(), url, reader)
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	for _, h := range r.Headers {
		value, err := v.fill(h.Value)
		if err != nil {
			return nil, err
		}
		if strings.EqualFold(h.Name, "Host") {
			req.Host = value
			continue
		}
		req.Header.Add(h.Name, value)
	}
	if r.User != "" {
		req.SetBasicAuth(r.User, r.Password)
	}
	return req, nil
}

func (r *Request) method() string {
	switch {
	case r.Method != "":
		return r.Method
	case r.Body != "":
		return http.MethodPost
	}
	return http.MethodGet
}

// Safe reports whether the request only reads (RFC 9110, 9.2.1).
func (r *Request) Safe() bool {
	m := r.method()
	return m == http.MethodGet || m == http.MethodHead
}

// String names the request without what it carries: "POST /transfers".
func (r *Request) String() string {
	rest := r.URL
	if _, after, ok := strings.Cut(rest, "://"); ok {
		rest = after
	}
	path := "/"
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		path = rest[i:]
	}
	path, _, _ = strings.Cut(path, "?")
	return r.method() + " " + path
}

// LostError says that a request has no answer.
type LostError struct {
	Method, Host string
	Err          error
}

func (e *LostError) Error() string {
	err := e.Err
	// The error of net/http repeats the URL, whose query may hold a secret.
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return fmt.Sprintf("%s to %s has no answer: %v", e.Method, e.Host, err)
}

func (e *LostError) Unwrap() error { return e.Err }
