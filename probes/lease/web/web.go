// Package web leases by HTTP requests to an application of the user's. An owner
// is paused right before it sends a request, since it is ccheck that sends it.
//
// The requests are in the documentation of the probe (package lease).
package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/reach"
	"github.com/ccheck/ccheck/probes/lease"
)

const (
	callLimit = 30 * time.Second
	maxAnswer = 1 << 20
)

// Backend is the application at a URL, to which the name of the call is added.
func Backend(raw string) (*lease.Backend, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &lease.SetupError{Msg: "that is no address of an application", Hint: "it looks like http://127.0.0.1:8080/leases"}
	}
	b := &lease.Backend{
		Target: history.Target{Kind: "http", Address: u.Host},
		Open: func(_ context.Context, o lease.Owner) (lease.Client, error) {
			transport := http.DefaultTransport.(*http.Transport).Clone()
			return &Client{owner: o.Name, base: strings.TrimSuffix(raw, "/"), http: &http.Client{Timeout: callLimit, Transport: transport}}, nil
		},
	}
	for _, call := range []string{"acquire", "renew", "release", "write", "read"} {
		b.Calls = append(b.Calls, history.Actor{Name: call, HTTP: "POST " + strings.TrimSuffix(u.Path, "/") + "/" + call})
	}
	return b, nil
}

// Client is one owner.
type Client struct {
	owner string
	base  string
	http  *http.Client
}

// request is the body of every call, and answer that of every 200.
type request struct {
	Name  string `json:"name,omitempty"`
	Owner string `json:"owner"`
	TTL   int64  `json:"ttl_ms,omitempty"`
	Token string `json:"token,omitempty"`
	Key   string `json:"key,omitempty"`
	Value string `json:"value,omitempty"`
}

type answer struct {
	Token json.RawMessage `json:"token"` // a number, or a text
	Value string          `json:"value"`
}

// call posts a request. 409 is the refusal of the call.
func (c *Client) call(ctx context.Context, what string, refusal error, r request) (a answer, err error) {
	if err := lease.Pass(ctx); err != nil {
		return a, err
	}
	r.Owner = c.owner
	body, err := json.Marshal(r)
	if err != nil {
		return a, fmt.Errorf("encoding the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/"+what, bytes.NewReader(body))
	if err != nil {
		return a, fmt.Errorf("making the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return a, fmt.Errorf("POST %s: %w", req.URL.Path, reach.Why(err))
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return a, fmt.Errorf("POST %s: %w", req.URL.Path, err)
	}
	return decode(resp.StatusCode, text, req.URL.Path, refusal)
}

func decode(status int, text []byte, path string, refusal error) (a answer, err error) {
	switch {
	case status == http.StatusConflict:
		return a, refusal
	case status/100 != 2:
		return a, fmt.Errorf("POST %s answers %d, where 200 is yes and 409 is no", path, status)
	case len(bytes.TrimSpace(text)) == 0:
		return a, nil
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("POST %s answers no JSON object: %w", path, err)
	}
	return a, nil
}

// Acquire is a lease.Client's.
func (c *Client) Acquire(ctx context.Context, name string, ttl time.Duration) (lease.Grant, error) {
	a, err := c.call(ctx, "acquire", lease.ErrHeld, request{Name: name, TTL: ttl.Milliseconds()})
	token := strings.Trim(string(a.Token), `"`)
	if err == nil && (token == "" || token == "null") {
		err = errors.New(`the answer to acquire has no token: it is {"token": 17}`)
	}
	return lease.Grant{Name: name, Owner: c.owner, Token: token, TTL: ttl}, err
}

// Renew is a lease.Client's.
func (c *Client) Renew(ctx context.Context, g lease.Grant) error {
	_, err := c.call(ctx, "renew", lease.ErrLost, request{Name: g.Name, Token: g.Token, TTL: g.TTL.Milliseconds()})
	return err
}

// Release is a lease.Client's.
func (c *Client) Release(ctx context.Context, g lease.Grant) error {
	_, err := c.call(ctx, "release", lease.ErrLost, request{Name: g.Name, Token: g.Token})
	return err
}

// Write is a lease.Client's.
func (c *Client) Write(ctx context.Context, key, value string, g lease.Grant) error {
	_, err := c.call(ctx, "write", lease.ErrFenced, request{Key: key, Value: value, Token: g.Token})
	return err
}

// Read is a lease.Client's.
func (c *Client) Read(ctx context.Context, key string) (string, error) {
	a, err := c.call(ctx, "read", lease.ErrLost, request{Key: key})
	return a.Value, err
}

// Close closes the connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }
