// Package redis leases by a key of Redis with a time to live and fences writes
// to a hash. The scripts are meant to be copied: Redis runs each as one step.
//
// It is the reference that `ccheck lease` compares others with; planted.go has
// the same with one thing wrong each. One server, or a primary: a failover to a
// replica that has not seen the last commands loses leases and tokens alike.
package redis

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/reach"
	"github.com/ccheck/ccheck/probes/lease"
)

// The scripts. The counter of tokens has no time to live and is never deleted;
// the value of the lock names owner and token, so that nobody else's is renewed
// or deleted. Tokens are compared as numbers: as text, 10 is less than 9.
const (
	Acquire = `if redis.call('EXISTS', KEYS[1]) == 1 then return false end
local token = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. token, 'PX', ARGV[2])
return token`
	Renew = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`
	Release = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`
	Write = `if tonumber(ARGV[2]) < tonumber(redis.call('HGET', KEYS[1], 'token') or '0') then return 0 end
redis.call('HSET', KEYS[1], 'value', ARGV[1], 'token', ARGV[2])
return 1`
	Fire = `if tonumber(ARGV[2]) < tonumber(redis.call('HGET', KEYS[1], 'token') or '0') then return 0 end
if tonumber(ARGV[1]) <= tonumber(redis.call('HGET', KEYS[1], 'tick') or '0') then return 0 end
redis.call('HSET', KEYS[1], 'tick', ARGV[1], 'token', ARGV[2])
return 1`
	Read = `HGET key value`
)

// Store is a server and the prefix of the keys that are ours on it.
type Store struct {
	url    *url.URL
	prefix string
}

// Connect asks the server who it is. The prefix is of this run alone; its braces
// keep all keys in one slot.
func Connect(ctx context.Context, raw, run string) (*Store, history.Target, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "redis" && u.Scheme != "rediss" {
		return nil, history.Target{}, &lease.SetupError{Msg: "that is no address of a Redis", Hint: "it looks like redis://user:password@host:6379/0, or rediss:// for TLS"}
	}
	s := &Store{url: u, prefix: "ccheck:{" + run + "}:"}
	c, err := dial(ctx, plain, u)
	if err != nil {
		return nil, history.Target{}, explain(u, err)
	}
	defer c.net.Close()
	info, err := c.do(ctx, "INFO")
	if err != nil {
		return nil, history.Target{}, explain(u, err)
	}
	facts := parseInfo(textOf(info))
	if err := refuse(u, facts); err != nil {
		return nil, history.Target{}, err
	}
	return s, history.Target{Kind: "redis", Version: facts["redis_version"], Address: u.Host}, nil
}

// parseInfo reads the answer to INFO: lines of name:value.
func parseInfo(text string) map[string]string {
	facts := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			facts[name] = value
		}
	}
	return facts
}

func refuse(u *url.URL, facts map[string]string) error {
	switch {
	case facts["cluster_enabled"] == "1":
		return &lease.SetupError{
			Msg:  fmt.Sprintf("Redis at %s is in cluster mode, where a failover forgets leases and tokens that were just given", u.Host),
			Hint: "name a server that is no cluster; `ccheck explain lease` says why a lock there needs a fenced resource elsewhere",
		}
	case facts["role"] == "slave":
		return &lease.SetupError{Msg: fmt.Sprintf("Redis at %s is a replica and takes no writes", u.Host), Hint: "name its primary"}
	}
	return nil
}

// explain turns an error of connecting into what a user can mend.
func explain(u *url.URL, err error) error {
	e := &lease.SetupError{Msg: fmt.Sprintf("Redis at %s cannot be used: %v", u.Host, reach.Why(err)), Hint: "start it, or name another one with --url", Err: err}
	var said Error
	if !errors.As(err, &said) {
		return e
	}
	switch said.Code() {
	case "WRONGPASS":
		e.Msg, e.Hint = fmt.Sprintf("Redis at %s refuses the user or the password", u.Host), "they stand in the URL, redis://user:password@host, with %-escapes for signs such as @ and /"
	case "NOAUTH":
		e.Msg, e.Hint = fmt.Sprintf("Redis at %s wants a password", u.Host), "write it into the URL: redis://:password@host"
	case "ERR":
		e.Hint = "if the server has no password, leave it out of the URL"
	}
	return e
}

// Clean deletes the keys of this run.
func (s *Store) Clean(ctx context.Context) error {
	c, err := dial(ctx, plain, s.url)
	if err != nil {
		return explain(s.url, err)
	}
	defer c.net.Close()
	for cursor := "0"; ; {
		v, err := c.do(ctx, "SCAN", cursor, "MATCH", s.prefix+"*", "COUNT", "1000")
		if err != nil {
			return fmt.Errorf("looking for the keys of this run: %w", err)
		}
		page, ok := v.([]any)
		if !ok || len(page) != 2 {
			return fmt.Errorf("looking for the keys of this run: %w", errProtocol)
		}
		keys, _ := page[1].([]any)
		for _, k := range keys {
			if _, err := c.do(ctx, "DEL", textOf(k)); err != nil {
				return fmt.Errorf("deleting a key of this run: %w", err)
			}
		}
		if cursor = textOf(page[0]); cursor == "0" {
			return nil
		}
	}
}

// Backend is the reference on the server.
func (s *Store) Backend(target history.Target, planted lease.Planted) *lease.Backend {
	counter := &lease.Counter{}
	b := &lease.Backend{
		Target: target,
		Open: func(ctx context.Context, o lease.Owner) (lease.Client, error) {
			c, err := dial(ctx, o.Dial, s.url)
			if err != nil {
				return nil, explain(s.url, err)
			}
			client := &Client{conn: c, prefix: s.prefix, owner: o}
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

// Client is one owner's connection.
type Client struct {
	conn   *conn
	prefix string
	owner  lease.Owner
}

func (c *Client) lock(name string) string  { return c.prefix + "lock:" + name }
func (c *Client) fence(name string) string { return c.prefix + "fence:" + name }
func (c *Client) data(key string) string   { return c.prefix + "data:" + key }

// mine is the value of the lock while it is ours.
func mine(g lease.Grant) string { return g.Owner + ":" + g.Token }

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// Acquire is a lease.Client's.
func (c *Client) Acquire(ctx context.Context, name string, ttl time.Duration) (lease.Grant, error) {
	v, err := c.eval(ctx, Acquire, []string{c.lock(name), c.fence(name)}, c.owner.Name, millis(ttl))
	if err != nil {
		return lease.Grant{}, err
	}
	if v == nil {
		return lease.Grant{}, lease.ErrHeld
	}
	return lease.Grant{Name: name, Owner: c.owner.Name, Token: textOf(v), TTL: ttl}, nil
}

// Renew is a lease.Client's.
func (c *Client) Renew(ctx context.Context, g lease.Grant) error {
	return c.decide(ctx, lease.ErrLost, Renew, []string{c.lock(g.Name)}, mine(g), millis(g.TTL))
}

// Release is a lease.Client's.
func (c *Client) Release(ctx context.Context, g lease.Grant) error {
	return c.decide(ctx, lease.ErrLost, Release, []string{c.lock(g.Name)}, mine(g))
}

// Write is a lease.Client's.
func (c *Client) Write(ctx context.Context, key, value string, g lease.Grant) error {
	return c.decide(ctx, lease.ErrFenced, Write, []string{c.data(key)}, value, g.Token)
}

// Fire is a lease.Firer's.
func (c *Client) Fire(ctx context.Context, tick int64, g lease.Grant) error {
	return c.decide(ctx, lease.ErrFenced, Fire, []string{c.data("cron")}, strconv.FormatInt(tick, 10), g.Token)
}

// Read is a lease.Client's.
func (c *Client) Read(ctx context.Context, key string) (string, error) {
	v, err := c.do(ctx, "HGET", c.data(key), "value")
	return textOf(v), err
}

// Close ends the connection.
func (c *Client) Close() { _ = c.conn.net.Close() }

func (c *Client) do(ctx context.Context, args ...string) (any, error) {
	if err := lease.Pass(ctx); err != nil {
		return nil, err
	}
	return c.conn.do(ctx, args...)
}

func (c *Client) eval(ctx context.Context, script string, keys []string, args ...string) (any, error) {
	command := append([]string{"EVAL", script, strconv.Itoa(len(keys))}, keys...)
	return c.do(ctx, append(command, args...)...)
}

// decide runs a script that answers 1 when it did it and 0 when it refuses.
func (c *Client) decide(ctx context.Context, refusal error, script string, keys []string, args ...string) error {
	v, err := c.eval(ctx, script, keys, args...)
	if err == nil && textOf(v) != "1" {
		return refusal
	}
	return err
}
