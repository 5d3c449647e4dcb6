package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lease"
)

// The statements of a leader by a session-level advisory lock. The lock lives as
// long as its connection, so everything that the leader does goes over that one:
// when the server has ended the session, the job fails instead of being done
// twice.
const (
	TryLock = `SELECT CASE WHEN pg_try_advisory_lock(hashtext($1)) THEN nextval('lease_token') END`
	Unlock  = `SELECT pg_advisory_unlock(hashtext($1))`
	Ping    = `SELECT 1`
)

// Advisory is leadership by an advisory lock.
func Advisory(config *pgconn.Config, planted lease.Planted) *lease.Backend {
	b := &lease.Backend{
		Target: history.Target{Kind: "postgresql"}, Session: true,
		Open: func(ctx context.Context, o lease.Owner) (lease.Client, error) {
			c, err := open(ctx, config, o)
			if err != nil {
				return nil, err
			}
			a := &advisory{Client: c, planted: planted, config: config}
			if planted == lease.Pool {
				a.second, err = open(ctx, config, o)
			}
			return a, err
		},
	}
	for _, call := range []struct{ name, sql string }{{"acquire", TryLock}, {"renew", Ping}, {"release", Unlock}, {"fire", fireOf(planted)}} {
		b.Calls = append(b.Calls, history.Actor{Name: call.name, Script: call.sql})
	}
	return b
}

func fireOf(planted lease.Planted) string {
	if planted == lease.Blind || planted == lease.Pool {
		return blind
	}
	return Fire
}

// advisory is an instance with its session; second is the other connection of
// its pool, when it has one.
type advisory struct {
	*Client
	planted lease.Planted
	config  *pgconn.Config
	second  *Client
}

func (a *advisory) Acquire(ctx context.Context, name string, _ time.Duration) (lease.Grant, error) {
	rows, err := a.ask(ctx, TryLock, name)
	if err != nil || rows.Rows[0][0] == nil {
		return lease.Grant{}, refused(err, lease.ErrHeld)
	}
	return lease.Grant{Name: name, Owner: a.owner.Name, Token: string(rows.Rows[0][0]), TTL: lease.SessionTTL}, nil
}

// Renew asks whether the session is there. Through a pool that proves nothing.
func (a *advisory) Renew(ctx context.Context, _ lease.Grant) error {
	_, err := a.any(ctx, Ping)
	return err
}

func (a *advisory) Release(ctx context.Context, g lease.Grant) error {
	rows, err := a.ask(ctx, Unlock, g.Name)
	if err == nil && string(rows.Rows[0][0]) != "t" {
		return lease.ErrLost
	}
	return err
}

func (a *advisory) Fire(ctx context.Context, tick int64, g lease.Grant) error {
	rows, err := a.any(ctx, fireOf(a.planted), strconv.FormatInt(tick, 10), g.Token)
	if err == nil && rows.CommandTag.RowsAffected() == 0 {
		return lease.ErrFenced
	}
	return err
}

// any asks over the session, or over whatever connection a pool has: it makes
// another one when that is gone.
func (a *advisory) any(ctx context.Context, sql string, args ...string) (*pgconn.Result, error) {
	if a.second == nil {
		return a.ask(ctx, sql, args...)
	}
	rows, err := a.second.ask(ctx, sql, args...)
	var pg *pgconn.PgError
	if err == nil || errors.As(err, &pg) {
		return rows, err
	}
	a.second.Close()
	if a.second, err = open(ctx, a.config, a.owner); err != nil {
		return nil, err
	}
	return a.second.ask(ctx, sql, args...)
}

func (a *advisory) Close() {
	a.Client.Close()
	if a.second != nil {
		a.second.Close()
	}
}
