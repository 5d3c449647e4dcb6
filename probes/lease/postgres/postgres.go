// Package postgres leases by a row of PostgreSQL and fences writes to another
// one. The statements are meant to be copied: each is one round trip and says
// everything in itself, so that no transaction and no isolation level is needed.
//
// It is the reference that `ccheck lease` compares others with; planted.go has
// the same with one thing wrong each.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lease"
)

// Schema makes the tables. Rows of lease are never deleted: the token must not
// start over.
const Schema = `CREATE SEQUENCE lease_token;
CREATE TABLE lease (name text PRIMARY KEY, holder text, token bigint NOT NULL, until timestamptz NOT NULL);
CREATE TABLE resource (key text PRIMARY KEY, value text NOT NULL, token bigint NOT NULL);
INSERT INTO resource VALUES ('ledger', '', 0);
CREATE TABLE cron (tick bigint NOT NULL, token bigint NOT NULL);
INSERT INTO cron VALUES (0, 0)`

// The statements. The token is drawn where the row is locked: one that is drawn
// before, as in excluded.token, may be given to an owner that waits while a
// later one comes and goes. clock_timestamp() is the server's clock now; now()
// is its clock when the transaction began.
const (
	Acquire = `INSERT INTO lease AS l (name, holder, token, until)
VALUES ($1, $2, nextval('lease_token'), clock_timestamp() + $3::interval)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = nextval('lease_token'), until = clock_timestamp() + $3::interval
WHERE l.holder IS NULL OR l.until <= clock_timestamp()
RETURNING token`
	Renew = `UPDATE lease SET until = clock_timestamp() + $4::interval
WHERE name = $1 AND holder = $2 AND token = $3 AND until > clock_timestamp()`
	Release = `UPDATE lease SET holder = NULL, until = clock_timestamp()
WHERE name = $1 AND holder = $2 AND token = $3 AND until > clock_timestamp()`
	Write = `UPDATE resource SET value = $2, token = $3 WHERE key = $1 AND token <= $3`
	Fire  = `UPDATE cron SET tick = $1, token = $2 WHERE tick < $1 AND token <= $2`
	Read  = `SELECT value FROM resource WHERE key = $1`
)

// Backend is the reference on a server; config reaches the schema in which
// Setup made the tables.
func Backend(config *pgconn.Config, planted lease.Planted) *lease.Backend {
	counter := &lease.Counter{}
	b := &lease.Backend{
		Target: history.Target{Kind: "postgresql"},
		Open: func(ctx context.Context, o lease.Owner) (lease.Client, error) {
			c, err := open(ctx, config, o)
			if err != nil {
				return nil, err
			}
			if planted == lease.None {
				return c, nil
			}
			counter.Join()
			return &wrong{Client: c, planted: planted, counter: counter}, nil
		},
	}
	for _, call := range []struct{ name, sql string }{
		{"acquire", Acquire}, {"renew", Renew}, {"release", Release}, {"write", Write}, {"read", Read},
	} {
		b.Calls = append(b.Calls, history.Actor{Name: call.name, Script: told(call.name, call.sql, planted)})
	}
	return b
}

// Setup makes the tables.
func Setup(ctx context.Context, config *pgconn.Config) error {
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connecting to make the tables of the leases: %w", err)
	}
	_, err = conn.Exec(ctx, Schema).ReadAll()
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		return fmt.Errorf("making the tables of the leases: %w", err)
	}
	return nil
}

// Client is one owner's connection.
type Client struct {
	conn  *pgconn.PgConn
	owner lease.Owner
}

func open(ctx context.Context, config *pgconn.Config, o lease.Owner) (*Client, error) {
	config = config.Copy()
	config.DialFunc = o.Dial
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting owner %s: %w", o.Name, err)
	}
	return &Client{conn, o}, nil
}

// Acquire is a lease.Client's.
func (c *Client) Acquire(ctx context.Context, name string, ttl time.Duration) (lease.Grant, error) {
	rows, err := c.ask(ctx, Acquire, name, c.owner.Name, interval(ttl))
	if err != nil || len(rows.Rows) == 0 {
		return lease.Grant{}, refused(err, lease.ErrHeld)
	}
	return lease.Grant{Name: name, Owner: c.owner.Name, Token: string(rows.Rows[0][0]), TTL: ttl}, nil
}

// Renew is a lease.Client's.
func (c *Client) Renew(ctx context.Context, g lease.Grant) error {
	return c.change(ctx, lease.ErrLost, Renew, g.Name, g.Owner, g.Token, interval(g.TTL))
}

// Release is a lease.Client's.
func (c *Client) Release(ctx context.Context, g lease.Grant) error {
	return c.change(ctx, lease.ErrLost, Release, g.Name, g.Owner, g.Token)
}

// Write is a lease.Client's.
func (c *Client) Write(ctx context.Context, key, value string, g lease.Grant) error {
	return c.change(ctx, lease.ErrFenced, Write, key, value, g.Token)
}

// Fire is a lease.Firer's.
func (c *Client) Fire(ctx context.Context, tick int64, g lease.Grant) error {
	return c.change(ctx, lease.ErrFenced, Fire, strconv.FormatInt(tick, 10), g.Token)
}

// Read is a lease.Client's.
func (c *Client) Read(ctx context.Context, key string) (string, error) {
	rows, err := c.ask(ctx, Read, key)
	if err != nil || len(rows.Rows) == 0 {
		return "", err
	}
	return string(rows.Rows[0][0]), nil
}

// Close ends the connection.
func (c *Client) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.conn.Close(ctx) // the server may be gone
}

// change runs a statement that changes one row, or none when it refuses. Who
// does not look at the count takes every refusal for a success.
func (c *Client) change(ctx context.Context, refusal error, sql string, args ...string) error {
	rows, err := c.ask(ctx, sql, args...)
	if err == nil && rows.CommandTag.RowsAffected() == 0 {
		return refusal
	}
	return err
}

func (c *Client) ask(ctx context.Context, sql string, args ...string) (*pgconn.Result, error) {
	if err := lease.Pass(ctx); err != nil {
		return nil, err
	}
	values := make([][]byte, len(args))
	for i, a := range args {
		values[i] = []byte(a)
	}
	rows := c.conn.ExecParams(ctx, sql, values, nil, nil, nil).Read()
	return rows, rows.Err
}

// refused is the error, or the refusal where there is none.
func refused(err, refusal error) error {
	if err != nil {
		return err
	}
	return refusal
}

func interval(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + " ms" }
