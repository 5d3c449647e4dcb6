// Package etcd leases by a key that hangs on a lease of etcd and fences writes
// to another key. The token is the revision at which the key was created, which
// grows with everything that the cluster does. The transactions are meant to be
// copied, whichever client sends them.
//
// It is the reference that `ccheck lease` compares others with; planted.go has
// the same with one thing wrong each.
package etcd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lease"
)

// What the calls do, in the words of etcdctl's txn. etcd compares values byte by
// byte, so that a token is padded to the same length.
const (
	Acquire = `LeaseGrant(ttl)
If CreateRevision(lock) = 0  Then Put(lock, owner, lease)      -- token: the revision of this transaction`
	Renew   = `LeaseKeepAlive(lease)      -- TTL 0 in the answer: it is lost`
	Release = `If CreateRevision(lock) = token  Then Delete(lock)
LeaseRevoke(lease)`
	Write = `If Value(data/token) > padded(token)  Then nothing: refused
Else Put(data, value), Put(data/token, padded(token))`
	Fire = `If Value(cron/token) < padded(token + 1) and Value(cron/tick) < padded(tick)
Then Put(cron/tick, padded(tick)), Put(cron/token, padded(token))`
	Read = `Range(data)`
)

// padded is a token as text that sorts as the number does.
func padded(token string) string { return strings.Repeat("0", max(0, 20-len(token))) + token }

// Store is a cluster and the prefix of the keys that are ours in it.
type Store struct {
	url    *url.URL
	prefix string
}

// Connect asks the cluster who it is and whether it has a quorum.
func Connect(ctx context.Context, raw, run string) (*Store, history.Target, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, history.Target{}, &lease.SetupError{Msg: "that is no endpoint of an etcd", Hint: "it looks like http://127.0.0.1:2379, or https://user:password@host:2379"}
	}
	s := &Store{url: u, prefix: "ccheck/" + run + "/"}
	g, err := s.connect(ctx, plain)
	if err != nil {
		return nil, history.Target{}, err
	}
	var status struct {
		Version string `json:"version"`
	}
	if err := g.call(ctx, "maintenance/status", struct{}{}, &status); err != nil {
		return nil, history.Target{}, explain(u, err)
	}
	if _, err := g.get(ctx, s.prefix); err != nil {
		return nil, history.Target{}, explain(u, err)
	}
	return s, history.Target{Kind: "etcd", Version: status.Version, Address: u.Host}, nil
}

func (s *Store) connect(ctx context.Context, network dialer) (*gateway, error) {
	g := newGateway(s.url, network)
	if s.url.User == nil {
		return g, nil
	}
	if err := g.login(ctx, s.url.User); err != nil {
		return nil, explain(s.url, err)
	}
	return g, nil
}

// explain turns an error of connecting into what a user can mend. Without a
// quorum a member answers nothing that needs one, or answers that it timed out.
func explain(u *url.URL, err error) error {
	e := &lease.SetupError{Msg: fmt.Sprintf("etcd at %s cannot be used: %v", u.Host, err), Hint: "start it, or name another endpoint with --url", Err: err}
	var said *Error
	timeout := errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "Client.Timeout")
	if errors.As(err, &said) {
		timeout = timeout || said.Code == unavailable || strings.Contains(said.Text, "timed out") || strings.Contains(said.Text, "no leader")
	}
	switch {
	case timeout:
		e.Msg = fmt.Sprintf("etcd at %s answers, but cannot read: the cluster has no quorum", u.Host)
		e.Hint = "start more than half of its members; `etcdctl endpoint status --cluster` shows which are up"
	case said == nil:
	case said.Code == unauthenticated || strings.Contains(said.Text, "authentication failed"):
		e.Msg, e.Hint = fmt.Sprintf("etcd at %s refuses the user or the password", u.Host), "they stand in the URL: https://user:password@host:2379"
	case said.Code == invalidArgument && strings.Contains(said.Text, "user name is empty"):
		e.Msg, e.Hint = fmt.Sprintf("etcd at %s wants a user", u.Host), "write it into the URL: https://user:password@host:2379"
	}
	return e
}

// Clean deletes the keys of this run.
func (s *Store) Clean(ctx context.Context) error {
	g, err := s.connect(ctx, plain)
	if err != nil {
		return err
	}
	end := s.prefix[:len(s.prefix)-1] + "0" // the byte after the slash
	if err := g.call(ctx, "kv/deleterange", map[string]any{"key": b64(s.prefix), "range_end": b64(end)}, &struct{}{}); err != nil {
		return fmt.Errorf("deleting the keys of this run: %w", err)
	}
	return nil
}

// Backend is the reference on the cluster.
func (s *Store) Backend(target history.Target, planted lease.Planted) *lease.Backend {
	counter := &lease.Counter{}
	b := &lease.Backend{
		Target: target, MinTTL: time.Second,
		Open: func(ctx context.Context, o lease.Owner) (lease.Client, error) {
			g, err := s.connect(ctx, o.Dial)
			if err != nil {
				return nil, err
			}
			client := &Client{gateway: g, prefix: s.prefix, owner: o}
			if planted == lease.None {
				return client, nil
			}
			counter.Join()
			return &wrong{Client: client, planted: planted, counter: counter}, nil
		},
	}
	for _, call := range []struct{ name, text string }{
		{"acquire", Acquire}, {"renew", Renew}, {"release", Release}, {"write", Write}, {"read", Read},
	} {
		b.Calls = append(b.Calls, history.Actor{Name: call.name, Script: told(call.name, call.text, planted)})
	}
	return b
}

// Client is one owner's way to the cluster.
type Client struct {
	*gateway
	prefix string
	owner  lease.Owner
}

func (c *Client) lock(name string) string { return c.prefix + "lock/" + name }
func (c *Client) data(key string) string  { return c.prefix + "data/" + key }

// Acquire is a lease.Client's.
func (c *Client) Acquire(ctx context.Context, name string, ttl time.Duration) (lease.Grant, error) {
	id, err := c.grant(ctx, ttl)
	if err != nil {
		return lease.Grant{}, err
	}
	won, revision, err := c.txn(ctx, []compare{createdAt(c.lock(name), "0")}, []op{put(c.lock(name), c.owner.Name, id)}, nil)
	switch {
	case gone(err): // it ended before it was used
		err = lease.ErrHeld
	case err == nil && !won:
		_ = c.revoke(ctx, id) // it would end by itself
		err = lease.ErrHeld
	}
	return lease.Grant{Name: name, Owner: c.owner.Name, Token: revision, TTL: ttl, ID: id}, err
}

// grant makes a lease; etcd counts in whole seconds.
func (c *Client) grant(ctx context.Context, ttl time.Duration) (string, error) {
	var answer struct {
		ID string `json:"ID"`
	}
	seconds := int64((ttl + time.Second - 1) / time.Second)
	err := c.call(ctx, "lease/grant", map[string]any{"TTL": seconds}, &answer)
	return answer.ID, err
}

// gone reports that a lease is none any more.
func gone(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == notFound
}

func (c *Client) revoke(ctx context.Context, id string) error {
	return c.call(ctx, "lease/revoke", map[string]any{"ID": id}, &struct{}{})
}

// Renew is a lease.Client's. The lease is ours by its number, which nobody else
// has, and takes the key along when it ends.
func (c *Client) Renew(ctx context.Context, g lease.Grant) error {
	var answer struct {
		Result struct {
			TTL string `json:"TTL"`
		} `json:"result"`
	}
	err := c.call(ctx, "lease/keepalive", map[string]any{"ID": g.ID}, &answer)
	if gone(err) || err == nil && (answer.Result.TTL == "" || answer.Result.TTL == "0") {
		return lease.ErrLost
	}
	return err
}

// Release is a lease.Client's.
func (c *Client) Release(ctx context.Context, g lease.Grant) error {
	was, _, err := c.txn(ctx, []compare{createdAt(c.lock(g.Name), g.Token)}, []op{del(c.lock(g.Name))}, nil)
	if err != nil {
		return err
	}
	if !was {
		return lease.ErrLost
	}
	_ = c.revoke(ctx, g.ID) // it would end by itself
	return nil
}

// Write is a lease.Client's.
func (c *Client) Write(ctx context.Context, key, value string, g lease.Grant) error {
	data, fence := c.data(key), c.data(key)+"/token"
	later, _, err := c.txn(ctx, []compare{greater(fence, padded(g.Token))}, nil, []op{put(data, value, ""), put(fence, padded(g.Token), "")})
	if err == nil && later {
		return lease.ErrFenced
	}
	return err
}

// Fire is a lease.Firer's. A value that is not there compares with nothing, so
// both are made first.
func (c *Client) Fire(ctx context.Context, tick int64, g lease.Grant) error {
	ticks, fence := c.data("cron")+"/tick", c.data("cron")+"/token"
	for _, key := range []string{ticks, fence} {
		if _, _, err := c.txn(ctx, []compare{createdAt(key, "0")}, []op{put(key, padded("0"), "")}, nil); err != nil {
			return err
		}
	}
	token, err := strconv.ParseInt(g.Token, 10, 64)
	if err != nil {
		return fmt.Errorf("reading token %q: %w", g.Token, err)
	}
	at, next := padded(strconv.FormatInt(tick, 10)), padded(strconv.FormatInt(token+1, 10))
	won, _, err := c.txn(ctx, []compare{less(ticks, at), less(fence, next)}, []op{put(ticks, at, ""), put(fence, padded(g.Token), "")}, nil)
	if err == nil && !won {
		return lease.ErrFenced
	}
	return err
}

// Read is a lease.Client's.
func (c *Client) Read(ctx context.Context, key string) (string, error) {
	return c.get(ctx, c.data(key))
}

// Close closes the connections.
func (c *Client) Close() { c.client.CloseIdleConnections() }
