package redis

import (
	"context"
	"strconv"
	"time"

	"github.com/ccheck/ccheck/probes/lease"
)

// What is wrong.
const (
	given     = `SET lock owner:token NX PX ttl`
	revive    = `SET lock owner:token PX ttl`
	drop      = `DEL lock`
	bare      = `HSET data value … token …`
	threefold = "HGET data token\n-- in the application: if token <= mine\n" + bare
)

// wrong is a Client with one thing wrong.
type wrong struct {
	*Client
	planted lease.Planted
	counter *lease.Counter
}

// Close is also the owner's leave from the service that counts.
func (w *wrong) Close() {
	w.counter.Leave()
	w.Client.Close()
}

// told is what a call sends, for the story.
func told(call, text string, planted lease.Planted) string {
	other := map[lease.Planted]map[string]string{
		lease.Expiry: {"write": bare}, lease.Compare: {"write": threefold}, lease.Delete: {"release": drop}, lease.Revive: {"renew": revive},
		lease.Random: {"acquire": given}, lease.Clock: {"acquire": given}, lease.Restart: {"acquire": given},
	}
	if s, ok := other[planted][call]; ok {
		return s
	}
	return text
}

func (w *wrong) Acquire(ctx context.Context, name string, ttl time.Duration) (lease.Grant, error) {
	g := lease.Grant{Name: name, Owner: w.owner.Name, TTL: ttl}
	switch w.planted {
	case lease.Random:
		g.Token = strconv.FormatUint(w.owner.Random()>>12, 10) // below 2^53, where Lua still counts
	case lease.Clock:
		g.Token = strconv.FormatInt(w.owner.Clock().UnixMilli(), 10)
	case lease.Restart:
		g.Token = strconv.FormatInt(w.counter.Next(), 10)
	default:
		return w.Client.Acquire(ctx, name, ttl)
	}
	v, err := w.do(ctx, "SET", w.lock(name), mine(g), "NX", "PX", millis(ttl))
	if err == nil && v == nil {
		err = lease.ErrHeld
	}
	return g, err
}

func (w *wrong) Renew(ctx context.Context, g lease.Grant) error {
	if w.planted != lease.Revive {
		return w.Client.Renew(ctx, g)
	}
	_, err := w.do(ctx, "SET", w.lock(g.Name), mine(g), "PX", millis(g.TTL))
	return err
}

func (w *wrong) Release(ctx context.Context, g lease.Grant) error {
	if w.planted != lease.Delete {
		return w.Client.Release(ctx, g)
	}
	_, err := w.do(ctx, "DEL", w.lock(g.Name))
	return err
}

func (w *wrong) Write(ctx context.Context, key, value string, g lease.Grant) error {
	if w.planted != lease.Compare && w.planted != lease.Expiry {
		return w.Client.Write(ctx, key, value, g)
	}
	if w.planted == lease.Compare {
		v, err := w.do(ctx, "HGET", w.data(key), "token")
		if err != nil {
			return err
		}
		if number(textOf(v)) > number(g.Token) {
			return lease.ErrFenced
		}
	}
	_, err := w.do(ctx, "HSET", w.data(key), "value", value, "token", g.Token)
	return err
}

func (w *wrong) Fire(ctx context.Context, tick int64, g lease.Grant) error {
	if w.planted != lease.Blind {
		return w.Client.Fire(ctx, tick, g)
	}
	_, err := w.do(ctx, "HSET", w.data("cron"), "tick", strconv.FormatInt(tick, 10), "token", g.Token)
	return err
}

// number is a token of ours, 0 where there is none yet.
func number(token string) int64 {
	n, _ := strconv.ParseInt(token, 10, 64)
	return n
}
