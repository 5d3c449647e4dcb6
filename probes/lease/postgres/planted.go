package postgres

import (
	"context"
	"strconv"
	"time"

	"github.com/ccheck/ccheck/probes/lease"
)

// The statements that are wrong.
const (
	given = `INSERT INTO lease AS l (name, holder, token, until) VALUES ($1, $2, $4, clock_timestamp() + $3::interval)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = excluded.token, until = excluded.until
WHERE l.holder IS NULL OR l.until <= clock_timestamp()
RETURNING token`
	skewed = `INSERT INTO lease AS l (name, holder, token, until) VALUES ($1, $2, nextval('lease_token'), $4::timestamptz + $3::interval)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = nextval('lease_token'), until = excluded.until
WHERE l.holder IS NULL OR l.until <= $4::timestamptz
RETURNING token`
	revive  = `UPDATE lease SET holder = $2, token = $3, until = clock_timestamp() + $4::interval WHERE name = $1`
	drop    = `UPDATE lease SET holder = NULL, until = clock_timestamp() WHERE name = $1`
	tokenOf = `SELECT token FROM resource WHERE key = $1`
	blind   = `UPDATE cron SET tick = $1, token = $2`
	bare    = `UPDATE resource SET value = $2, token = $3 WHERE key = $1`
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
func told(call, sql string, planted lease.Planted) string {
	other := map[lease.Planted]map[string]string{
		lease.Expiry: {"write": bare}, lease.Compare: {"write": tokenOf + ";\n-- in the application: if token <= mine\n" + bare},
		lease.Delete: {"release": drop}, lease.Revive: {"renew": revive}, lease.Skew: {"acquire": skewed},
		lease.Random: {"acquire": given}, lease.Clock: {"acquire": given}, lease.Restart: {"acquire": given},
	}
	if text, ok := other[planted][call]; ok {
		return text
	}
	return sql
}

func (w *wrong) Acquire(ctx context.Context, name string, ttl time.Duration) (lease.Grant, error) {
	sql, last := given, ""
	switch w.planted {
	case lease.Random:
		last = strconv.FormatUint(w.owner.Random()>>2, 10)
	case lease.Clock:
		last = strconv.FormatInt(w.owner.Clock().UnixMilli(), 10)
	case lease.Restart:
		last = strconv.FormatInt(w.counter.Next(), 10)
	case lease.Skew:
		sql, last = skewed, w.owner.Clock().UTC().Format(time.RFC3339Nano)
	default:
		return w.Client.Acquire(ctx, name, ttl)
	}
	rows, err := w.ask(ctx, sql, name, w.owner.Name, interval(ttl), last)
	if err != nil || len(rows.Rows) == 0 {
		return lease.Grant{}, refused(err, lease.ErrHeld)
	}
	return lease.Grant{Name: name, Owner: w.owner.Name, Token: string(rows.Rows[0][0]), TTL: ttl}, nil
}

func (w *wrong) Renew(ctx context.Context, g lease.Grant) error {
	if w.planted != lease.Revive {
		return w.Client.Renew(ctx, g)
	}
	return w.change(ctx, lease.ErrLost, revive, g.Name, g.Owner, g.Token, interval(g.TTL))
}

func (w *wrong) Release(ctx context.Context, g lease.Grant) error {
	if w.planted != lease.Delete {
		return w.Client.Release(ctx, g)
	}
	return w.change(ctx, lease.ErrLost, drop, g.Name)
}

func (w *wrong) Write(ctx context.Context, key, value string, g lease.Grant) error {
	switch w.planted {
	case lease.Compare:
		rows, err := w.ask(ctx, tokenOf, key)
		if err != nil {
			return err
		}
		if at, err := strconv.ParseInt(string(rows.Rows[0][0]), 10, 64); err != nil || at > number(g.Token) {
			return refused(err, lease.ErrFenced)
		}
		fallthrough
	case lease.Expiry:
		return w.change(ctx, lease.ErrFenced, bare, key, value, g.Token)
	}
	return w.Client.Write(ctx, key, value, g)
}

func (w *wrong) Fire(ctx context.Context, tick int64, g lease.Grant) error {
	if w.planted != lease.Blind {
		return w.Client.Fire(ctx, tick, g)
	}
	return w.change(ctx, lease.ErrFenced, blind, strconv.FormatInt(tick, 10), g.Token)
}

// number is a token of ours, which is one.
func number(token string) int64 {
	n, _ := strconv.ParseInt(token, 10, 64)
	return n
}
